internal import CLibUSB
internal import Glibc
internal import Synchronization

/// One asynchronous transfer and its buffer, used once.
///
/// Whoever waits is resumed exactly once: by libusb's callback, which comes after every submission that succeeded,
/// cancelled or not; or right away when there was none.
final class LibUSBTransfer: Sendable {
    private struct State {
        var isCancelled = false
        var waiting: CheckedContinuation<Result<Int, USBError>, Never>?
    }

    // Both are written before the submission and read after the callback. In between libusb alone uses them; its
    // cancel function locks for itself, and `state` keeps it from being called before or after.
    nonisolated(unsafe) private let transfer: UnsafeMutablePointer<libusb_transfer>
    nonisolated(unsafe) private let buffer: UnsafeMutableRawBufferPointer
    private let state = Mutex(State())

    /// Prepares a transfer. The buffer begins with `bytes`, and `room` bytes follow for what the device sends.
    ///
    /// - Throws: ``USBError/timedOut`` when `timeout`, which is rounded up to milliseconds, is not above zero;
    ///   ``USBError/other(_:)`` when the buffer would be too long.
    init(
        _ handle: LibUSBHandle, _ kind: libusb_transfer_type, endpoint: UInt8, bytes: [UInt8], room: Int = 0,
        timeout: Duration
    ) throws(USBError) {
        guard let milliseconds = Self.milliseconds(timeout) else { throw .timedOut }
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
        transfer.pointee.timeout = milliseconds
        transfer.pointee.buffer = buffer.baseAddress?.assumingMemoryBound(to: UInt8.self)
        transfer.pointee.length = length
        transfer.pointee.callback = transferEnded
        self.transfer = transfer
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
            await withCheckedContinuation { submit($0) }
        } onCancel: {
            cancel()
        }
        return try result.get()
    }

    /// Ends the transfer early. Whoever waits for it goes on when the device no longer uses the buffer.
    func cancel() {
        state.withLock {
            $0.isCancelled = true
            if $0.waiting != nil { libusb_cancel_transfer(transfer) }
        }
    }

    /// `count` bytes of the buffer, from `offset` on.
    func bytes(_ count: Int, from offset: Int = 0) -> [UInt8] { Array(buffer.dropFirst(offset).prefix(max(0, count))) }

    private func submit(_ continuation: CheckedContinuation<Result<Int, USBError>, Never>) {
        let failure: USBError? = state.withLock {
            if $0.isCancelled { return .cancelled }
            // The callback gives this reference back.
            let kept = Unmanaged.passRetained(self)
            transfer.pointee.user_data = kept.toOpaque()
            let code = libusb_submit_transfer(transfer)
            guard code == 0 else {
                kept.release()
                return USBError(libusb: code)
            }
            $0.waiting = continuation
            return nil
        }
        if let failure { continuation.resume(returning: .failure(failure)) }
    }

    fileprivate func ended() {
        let waiting = state.withLock { $0.waiting.take() }
        let carried = Int(transfer.pointee.actual_length)
        let failure = USBError(transfer.pointee.status)
        waiting?.resume(returning: failure.map { .failure($0) } ?? .success(carried))
    }

    /// libusb counts in milliseconds and takes zero for "for ever".
    private static func milliseconds(_ timeout: Duration) -> UInt32? {
        guard timeout > .zero else { return nil }
        let (seconds, attoseconds) = timeout.components
        guard seconds < 2_000_000 else { return 2_000_000_000 }
        return UInt32(seconds) * 1000 + UInt32((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}

private func transferEnded(_ transfer: UnsafeMutablePointer<libusb_transfer>?) {
    guard let kept = transfer?.pointee.user_data else { return }
    Unmanaged<LibUSBTransfer>.fromOpaque(kept).takeRetainedValue().ended()
}
