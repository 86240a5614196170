import CLibUSB
import Glibc
import Synchronization

/// One asynchronous transfer and its buffer, used once.
///
/// The waiting task gets exactly one result: from libusb's callback, which follows every successful submission,
/// canceled or not; or right away when the submission failed.
final class LibUSBTransfer: RunningTransfer {
    typealias End = @Sendable (Result<Int, USBError>) -> Void

    private struct State {
        /// It was submitted to libusb.
        var isSubmitted = false
        var isCancelled = false
        /// It ended because of its timeout.
        var isLate = false
        /// The closure to call at the end; nil before the start and after the end.
        var whenEnded: End?
    }

    // Both are written before the submission and read after the callback. In between only libusb uses them. Its cancel
    // function is thread-safe, and `state` prevents calls before and after.
    nonisolated(unsafe) private let transfer: UnsafeMutablePointer<libusb_transfer>
    nonisolated(unsafe) private let buffer: UnsafeMutableRawBufferPointer
    private let timeout: Duration
    private let deadlines: TransferDeadlines
    private let state = Mutex(State())

    /// Prepares a transfer. The buffer begins with `bytes`, and `room` bytes follow for what the device sends.
    ///
    /// - Throws: ``USBError/timedOut`` when `timeout` is not above zero; ``USBError/other(_:)`` when the buffer would
    ///   be too long.
    init(
        _ handle: LibUSBHandle, _ kind: libusb_transfer_type, endpoint: UInt8, bytes: [UInt8], room: Int = 0,
        timeout: Duration
    ) throws(USBError) {
        guard timeout > .zero else { throw .timedOut }
        let (size, isTooLarge) = bytes.count.addingReportingOverflow(max(0, room))
        guard !isTooLarge, let length = Int32(exactly: size) else { throw .other("the USB transfer is too long") }
        guard let transfer = libusb_alloc_transfer(0) else { throw USBError(libusb: LIBUSB_ERROR_NO_MEM.rawValue) }
        // At least one byte, so that there is an address.
        buffer = .allocate(byteCount: max(1, size), alignment: 16)
        buffer.initializeMemory(as: UInt8.self, repeating: 0)
        buffer.copyBytes(from: bytes)
        transfer.pointee.dev_handle = handle.pointer
        transfer.pointee.endpoint = endpoint
        transfer.pointee.type = UInt8(truncatingIfNeeded: kind.rawValue)
        // No timeout of libusb, which would set a timer for each transfer.
        transfer.pointee.timeout = 0
        transfer.pointee.buffer = buffer.baseAddress?.assumingMemoryBound(to: UInt8.self)
        transfer.pointee.length = length
        transfer.pointee.callback = transferEnded
        self.transfer = transfer
        self.timeout = timeout
        deadlines = handle.deadlines
    }

    deinit {
        libusb_free_transfer(transfer)
        // The data can contain a PIN.
        if let address = buffer.baseAddress { explicit_bzero(address, buffer.count) }
        buffer.deallocate()
    }

    /// Submits the transfer and waits until it has ended. Canceling the task cancels it.
    ///
    /// - Returns: the number of transferred bytes; for a control transfer, without the setup packet.
    func run() async throws(USBError) -> Int {
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                start { continuation.resume(returning: $0) }
            }
        } onCancel: {
            cancel()
        }
        return try result.get()
    }

    /// Submits the transfer.
    ///
    /// - Parameters:
    ///   - isTimed: whether its timeout starts now; otherwise ``startTime()`` starts it.
    ///   - whenEnded: receives the number of transferred bytes, on the event thread or at once. It must not block.
    func start(isTimed: Bool = true, whenEnded: @escaping End) {
        let isCancelled = state.withLock {
            if !$0.isCancelled { $0.whenEnded = whenEnded }
            return $0.isCancelled
        }
        guard !isCancelled else { return whenEnded(.failure(.canceled)) }
        if isTimed { deadlines.add(self, in: timeout) }
        // The callback releases this reference.
        let kept = Unmanaged.passRetained(self)
        transfer.pointee.user_data = kept.toOpaque()
        // Without a lock: the event thread may already handle the response before this returns.
        let code = libusb_submit_transfer(transfer)
        guard code == 0 else {
            kept.release()
            deadlines.remove(self)
            let unused = state.withLock { $0.whenEnded.take() }
            unused?(.failure(USBError(libusb: code)))
            return
        }
        state.withLock {
            $0.isSubmitted = true
            // It was canceled before its submission.
            if $0.isCancelled || $0.isLate, $0.whenEnded != nil { libusb_cancel_transfer(transfer) }
        }
    }

    /// Starts the transfer's timeout now.
    func startTime() {
        deadlines.add(self, in: timeout)
        // It may not have been started, or may have ended.
        if state.withLock({ $0.whenEnded == nil }) { deadlines.remove(self) }
    }

    /// Ends the transfer early. The waiting task resumes when the device no longer uses the buffer.
    func cancel() { end { $0.isCancelled = true } }

    /// Ends the transfer because of its timeout.
    func timeOut() { end { $0.isLate = true } }

    /// Returns `count` bytes of the buffer, starting at `offset`.
    func bytes(_ count: Int, from offset: Int = 0) -> [UInt8] { Array(buffer.dropFirst(offset).prefix(max(0, count))) }

    private func end(_ note: (inout State) -> Void) {
        state.withLock {
            note(&$0)
            if $0.isSubmitted, $0.whenEnded != nil { libusb_cancel_transfer(transfer) }
        }
    }

    fileprivate func ended() {
        let (whenEnded, isLate) = state.withLock { ($0.whenEnded.take(), $0.isLate && !$0.isCancelled) }
        deadlines.remove(self)
        let carried = Int(transfer.pointee.actual_length)
        guard let failure = USBError(transfer.pointee.status) else {
            whenEnded?(.success(carried))
            return
        }
        whenEnded?(.failure(failure == .canceled && isLate ? .timedOut : failure))
    }
}

private func transferEnded(_ transfer: UnsafeMutablePointer<libusb_transfer>?) {
    guard let kept = transfer?.pointee.user_data else { return }
    Unmanaged<LibUSBTransfer>.fromOpaque(kept).takeRetainedValue().ended()
}

/// A write and the read of its response, which is already submitted when the response arrives.
///
/// The waiting task resumes once, when both have ended and the device no longer uses their buffers.
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
    ///   - write: the write, not yet started.
    ///   - length: the number of bytes to write.
    ///   - read: the read, not yet started.
    init(_ write: LibUSBTransfer, length: Int, _ read: LibUSBTransfer) {
        (self.write, self.length, self.read) = (write, length, read)
    }

    /// Runs both. Canceling the task cancels them.
    ///
    /// - Returns: the number of bytes read.
    func run() async throws(USBExchangeError) -> Int {
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                state.withLock { $0.waiting = continuation }
                // The read comes first, because the response to the write can arrive before another call.
                // Its timeout starts when the write has ended.
                read.start(isTimed: false) { self.readEnded($0) }
                // Do not send a command whose answer cannot be read: it might be a PIN.
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

    /// Records an end, and resumes the waiting task after the second one.
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

/// An operation on a device that can be ended early.
protocol RunningTransfer: AnyObject, Sendable {
    func cancel()
}

/// The running operations of one device.
final class RunningTransfers: Sendable {
    private struct State {
        var isClosed = false
        /// Few entries: an exchange, and a read that waits for notifications.
        var running: [any RunningTransfer] = []
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// Adds a transfer that is about to start; call ``remove(_:)`` when it has ended.
    ///
    /// - Returns: whether it may start; false when no more transfers are accepted.
    func add(_ transfer: any RunningTransfer) -> Bool {
        state.withLock {
            if !$0.isClosed { $0.running.append(transfer) }
            return !$0.isClosed
        }
    }

    func remove(_ transfer: any RunningTransfer) {
        let finished = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            if let index = state.running.firstIndex(where: { $0 === transfer }) { state.running.remove(at: index) }
            guard state.running.isEmpty else { return [] }
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in finished { continuation.resume() }
    }

    /// Accepts no more transfers, cancels the running ones, and returns when the last one has ended.
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
}

/// The deadlines of transfers. The event thread queries how long it may sleep, and ends the transfers that are late.
///
/// A transfer usually ends long before its deadline, and the next one follows at once. The thread is therefore not
/// woken at every end: it sleeps until a deadline that has become obsolete, wakes up once, and finds the next one.
final class TransferDeadlines: Sendable {
    private struct State {
        /// Few entries: a write or a read, and a read that waits for notifications.
        var running: [(transfer: LibUSBTransfer, nanoseconds: UInt64)] = []
        /// The time at which the event thread wakes up.
        var alarm = UInt64.max
    }

    private let state = Mutex(State())
    private let wake: @Sendable () -> Void

    /// - Parameter wake: makes the event thread query again how long it may sleep.
    init(wake: @escaping @Sendable () -> Void) { self.wake = wake }

    /// Ends `transfer` after `timeout`.
    func add(_ transfer: LibUSBTransfer, in timeout: Duration) {
        let (deadline, isTooLate) = Self.now().addingReportingOverflow(Self.nanoseconds(timeout))
        let isEarlier = state.withLock { state in
            guard !isTooLate else { return false }
            state.running.append((transfer, deadline))
            guard deadline < state.alarm else { return false }
            state.alarm = deadline
            return true
        }
        if isEarlier { wake() }
    }

    /// Removes a transfer that has ended.
    func remove(_ transfer: LibUSBTransfer) {
        state.withLock { state in
            guard let index = state.running.firstIndex(where: { $0.transfer === transfer }) else { return }
            state.running.remove(at: index)
        }
    }

    /// Ends the late transfers.
    ///
    /// - Returns: how many nanoseconds the event thread may sleep; nil for no limit.
    func pause() -> UInt64? {
        let now = Self.now()
        let (late, pause) = state.withLock { state -> ([LibUSBTransfer], UInt64?) in
            guard state.alarm <= now else { return ([], state.alarm == .max ? nil : state.alarm - now) }
            let late = state.running.filter { $0.nanoseconds <= now }.map(\.transfer)
            state.running.removeAll { $0.nanoseconds <= now }
            state.alarm = state.running.map(\.nanoseconds).min() ?? .max
            return (late, state.alarm == .max ? nil : state.alarm - now)
        }
        for transfer in late { transfer.timeOut() }
        return pause
    }

    private static func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    private static func nanoseconds(_ duration: Duration) -> UInt64 {
        let (seconds, attoseconds) = duration.components
        let (whole, isTooLong) = UInt64(max(0, seconds)).multipliedReportingOverflow(by: 1_000_000_000)
        return isTooLong
            ? .max : whole.addingReportingOverflow(UInt64(max(0, attoseconds)) / 1_000_000_000).partialValue
    }
}
