internal import Synchronization

/// The transfers of one device that have not ended.
final class RunningTransfers: Sendable {
    private struct State {
        var isClosed = false
        /// Few: one or two, and one that waits for notices.
        var running: [LibUSBTransfer] = []
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// Runs a transfer.
    ///
    /// - Throws: what the transfer ends with; ``USBError/cancelled`` when no more transfers are let in.
    func run(_ transfer: LibUSBTransfer) async throws(USBError) -> Int {
        guard letIn(transfer) else { throw .cancelled }
        defer { remove(transfer) }
        return try await transfer.run()
    }

    /// Runs a write and, begun together with it, a read.
    ///
    /// - Returns: how many bytes were read.
    /// - Throws: what the write or else the read ends with; ``USBError/cancelled`` when no more transfers are let in.
    func run(
        _ write: LibUSBTransfer, length: Int, thenReading read: LibUSBTransfer
    ) async throws(USBExchangeError) -> Int {
        guard letIn(write, read) else { throw .write(.cancelled) }
        defer { remove(write, read) }
        return try await LibUSBExchange(write, length: length, read).run()
    }

    /// Lets no more transfers in, cancels those that run and returns when the last one has ended.
    func end() async {
        await withCheckedContinuation { continuation in
            let running = state.withLock {
                $0.isClosed = true
                if !$0.running.isEmpty { $0.waiting.append(continuation) }
                return $0.running
            }
            for transfer in running { transfer.cancel() }
            if running.isEmpty { continuation.resume() }
        }
    }

    private func letIn(_ transfers: LibUSBTransfer...) -> Bool {
        state.withLock {
            if !$0.isClosed { $0.running += transfers }
            return !$0.isClosed
        }
    }

    private func remove(_ transfers: LibUSBTransfer...) {
        let finished = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.running.removeAll { running in transfers.contains { $0 === running } }
            guard state.running.isEmpty else { return [] }
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in finished { continuation.resume() }
    }
}
