internal import CLibUSB
internal import Glibc
internal import Synchronization

/// One asynchronous transfer and its buffer, used once.
///
/// Whoever waits is told exactly once how it ended: by libusb's callback, which comes after every submission that
/// succeeded, cancelled or not; or right away when there was none.
final class LibUSBTransfer: RunningTransfer {
    typealias End = @Sendable (Result<Int, USBError>) -> Void

    private struct State {
        /// libusb has it, or had it.
        var isSubmitted = false
        var isCancelled = false
        /// It was ended because its time was over.
        var isLate = false
        /// Nil before the start and after the end.
        var whenEnded: End?
    }

    // Both are written before the submission and read after the callback. In between libusb alone uses them; its
    // cancel function locks for itself, and `state` keeps it from being called before or after.
    nonisolated(unsafe) private let transfer: UnsafeMutablePointer<libusb_transfer>
    nonisolated(unsafe) private let buffer: UnsafeMutableRawBufferPointer
    private let timeout: Duration
    private let deadlines: TransferDeadlines
    private let state = Mutex(State())

    /// Prepares a transfer. The buffer begins with `bytes`, and `room` bytes follow for what the device sends.
    ///
    /// - Throws: ``USBError/timedOut`` when `timeout` is not above zero; ``USBError/other(_:)`` when the buffer would be
    ///   too long.
    init(
        _ handle: LibUSBHandle, _ kind: libusb_transfer_type, endpoint: UInt8, bytes: [UInt8], room: Int = 0,
        timeout: Duration
    ) throws(USBError) {
        guard timeout > .zero else { throw .timedOut }
        let (size, isTooLarge) = bytes.count.addingReportingOverflow(max(0, room))
        guard !isTooLarge, let length = Int32(exactly: size) else { throw .other("the USB transfer is too long") }
        guard let transfer = libusb_alloc_transfer(0) else { throw USBError(libusb: LIBUSB_ERROR_NO_MEM.rawValue) }
        // One byte at least, so that there is an address to give.
        buffer = .allocate(byteCount: max(1, size), alignment: 16)
        buffer.initializeMemory(as: UInt8.self, repeating: 0)
        buffer.copyBytes(from: bytes)
        transfer.pointee.dev_handle = handle.pointer
        transfer.pointee.endpoint = endpoint
        transfer.pointee.type = UInt8(truncatingIfNeeded: kind.rawValue)
        // None of libusb's: it would set a timer for each transfer.
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
        // What passes between a reader and a card can be a PIN.
        if let address = buffer.baseAddress { explicit_bzero(address, buffer.count) }
        buffer.deallocate()
    }

    /// Submits the transfer and waits until it has ended. Cancelling the task cancels it.
    ///
    /// - Returns: how many bytes were carried; of a control transfer, without the setup packet.
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
    ///   - isTimed: whether its time begins now; else ``startTime()`` begins it.
    ///   - whenEnded: told how many bytes were carried, on the event thread or at once. It must not block.
    func start(isTimed: Bool = true, whenEnded: @escaping End) {
        let isCancelled = state.withLock {
            if !$0.isCancelled { $0.whenEnded = whenEnded }
            return $0.isCancelled
        }
        guard !isCancelled else { return whenEnded(.failure(.cancelled)) }
        if isTimed { deadlines.add(self, in: timeout) }
        // The callback gives this reference back.
        let kept = Unmanaged.passRetained(self)
        transfer.pointee.user_data = kept.toOpaque()
        // Without a lock: the device may have answered, and the event thread be at work, before this returns.
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
            // Somebody wanted it to end before libusb had it.
            if $0.isCancelled || $0.isLate, $0.whenEnded != nil { libusb_cancel_transfer(transfer) }
        }
    }

    /// From now on the transfer has as much time as it was given.
    func startTime() {
        deadlines.add(self, in: timeout)
        // It may never have begun, or have ended meanwhile.
        if state.withLock({ $0.whenEnded == nil }) { deadlines.remove(self) }
    }

    /// Ends the transfer early. Whoever waits for it is told when the device no longer uses the buffer.
    func cancel() { end { $0.isCancelled = true } }

    /// Ends the transfer because its time is over.
    func timeOut() { end { $0.isLate = true } }

    /// `count` bytes of the buffer, from `offset` on.
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
        whenEnded?(.failure(failure == .cancelled && isLate ? .timedOut : failure))
    }
}

private func transferEnded(_ transfer: UnsafeMutablePointer<libusb_transfer>?) {
    guard let kept = transfer?.pointee.user_data else { return }
    Unmanaged<LibUSBTransfer>.fromOpaque(kept).takeRetainedValue().ended()
}
