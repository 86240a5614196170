internal import Synchronization

/// A write and the read of its answer, which waits in the kernel when the answer comes.
///
/// Whoever waits is resumed once, after both have ended: the device uses neither buffer any more.
final class LibUSBExchange: RunningTransfer {
    private typealias Waiting = CheckedContinuation<Result<Int, USBExchangeError>, Never>

    private struct State {
        var written: Result<Int, USBError>?
        var read: Result<Int, USBError>?
        var waiting: Waiting?
    }

    private struct Ending {
        let waiting: Waiting
        let result: Result<Int, USBExchangeError>
    }

    private let write: LibUSBTransfer
    private let length: Int
    private let read: LibUSBTransfer
    private let state = Mutex(State())

    /// - Parameters:
    ///   - write: not yet begun.
    ///   - length: how many bytes it has to carry.
    ///   - read: not yet begun.
    init(_ write: LibUSBTransfer, length: Int, _ read: LibUSBTransfer) {
        (self.write, self.length, self.read) = (write, length, read)
    }

    /// Runs both. Cancelling the task cancels them.
    ///
    /// - Returns: how many bytes were read.
    func run() async throws(USBExchangeError) -> Int {
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                state.withLock { $0.waiting = continuation }
                // The read first: it waits without harm, and the write may be answered before another call is made.
                // Its time begins when the write has ended.
                read.start(isTimed: false) { self.readEnded($0) }
                // An answer that nobody can read is not asked for: the command might be a PIN.
                guard !hasReadFailed else { return finish { $0.written = .success(0) } }
                write.start { self.writeEnded($0) }
            }
        } onCancel: {
            cancel()
        }
        return try result.get()
    }

    /// Ends both early.
    func cancel() {
        write.cancel()
        read.cancel()
    }

    private var hasReadFailed: Bool {
        state.withLock { if case .failure = $0.read { true } else { false } }
    }

    private func writeEnded(_ result: Result<Int, USBError>) {
        var result = result
        if case .success(let carried) = result, carried != length {
            result = .failure(USBError(carried: carried, of: length))
        }
        switch result {
        case .success: read.startTime()
        case .failure: read.cancel()
        }
        finish { $0.written = result }
    }

    private func readEnded(_ result: Result<Int, USBError>) { finish { $0.read = result } }

    /// Notes an end, and after the second one tells whoever waits.
    private func finish(_ note: (inout State) -> Void) {
        let ending: Ending? = state.withLock { state in
            note(&state)
            guard let written = state.written, let read = state.read, let waiting = state.waiting.take() else {
                return nil
            }
            if case .failure(let error) = written { return Ending(waiting: waiting, result: .failure(.write(error))) }
            return Ending(waiting: waiting, result: read.mapError { .read($0) })
        }
        if let ending { ending.waiting.resume(returning: ending.result) }
    }
}
