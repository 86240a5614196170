internal import CardSecrets
internal import HID
internal import Synchronization
public import USB

/// A magnetic stripe reader that is open: it is listened to all the time, and a swipe goes to whoever waits for one.
/// One that nobody has asked for is forgotten at once, so no card is taken for a payment that came later.
///
/// Call ``close()`` when done; until then the reader is listened to.
public final class MagneticStripeReader: Sendable {
    private struct State {
        /// Why no more swipes come.
        var ending: MSRError?
        /// A swipe has been asked for that is not waited for yet.
        var isExpecting = false
        /// The swipe that came before it was waited for.
        var kept: Swipe?
        var lastTicket: UInt64 = 0
        var waiter: (ticket: UInt64, continuation: CheckedContinuation<Result<Swipe, MSRError>, Never>)?
        var listener: Task<Void, Never>?
    }

    /// How long to listen at a time. A device that has nothing to say is asked again.
    private static let patience = Duration.seconds(3600)
    /// Between two keys of one swipe. Readers type a key every few milliseconds.
    private static let keyTimeout = Duration.milliseconds(400)
    /// How often in a row reading may fail before the reader is given up.
    private static let maximumFailures = 8

    /// The device, as its descriptors tell.
    public let device: USBDevice
    /// The reader's interface in the device.
    public let interface: MSRInterface
    private let hid: any HIDDevice
    private let state = Mutex(State())

    /// Opens the reader of a device.
    ///
    /// Where the user may not take the device from the kernel, a reader that does not type is read through the kernel's
    /// node all the same: that is what the udev rules give of a reader whose maker they do not name.
    ///
    /// - Parameters:
    ///   - device: one of the bus's devices.
    ///   - interface: what ``MSRInterface/find(in:models:)`` found in it.
    ///   - bus: where the device is.
    ///   - path: the way to its reports.
    /// - Returns: the reader, listened to.
    /// - Throws: ``MSRError``
    public static func open(
        _ device: USBDevice, _ interface: MSRInterface, on bus: any USBBus, path: MSRPath = .usb
    ) async throws(MSRError) -> MagneticStripeReader {
        try await open(device, interface, on: bus, path: path) { () throws(HIDError) in
            try HIDRawDevice(device, interface.hid)
        }
    }

    /// The same with another way to open the kernel's node.
    static func open(
        _ device: USBDevice, _ interface: MSRInterface, on bus: any USBBus, path: MSRPath,
        openNode: () throws(HIDError) -> any HIDDevice
    ) async throws(MSRError) -> MagneticStripeReader {
        guard path == .usb || interface.format != .keyboard else { throw .keyboardThroughKernel }
        let hid: any HIDDevice
        do throws(HIDError) {
            switch path {
            case .usb:
                do throws(HIDError) {
                    hid = try await USBHIDDevice.open(device, interface.hid, on: bus)
                } catch {
                    let hasNode = interface.hid.kernel?.node != nil && interface.format != .keyboard
                    guard error == .usb(.accessDenied), hasNode else { throw error }
                    hid = try openNode()
                }
            case .hidraw: hid = try openNode()
            }
        } catch {
            throw MSRError(error)
        }
        do throws(MSRError) {
            return try MagneticStripeReader(device, interface, hid)
        } catch {
            await hid.close()
            throw error
        }
    }

    /// - Throws: ``MSRError/notSupported(_:)``; the device is then still the caller's.
    init(_ device: USBDevice, _ interface: MSRInterface, _ hid: any HIDDevice) throws(MSRError) {
        let decoder = try SwipeDecoder(interface, hid.reportDescriptor)
        (self.device, self.interface, self.hid) = (device, interface, hid)
        let listener = Task { await listen(decoder) }
        state.withLock { $0.listener = listener }
    }

    /// Asks for a swipe: the next one is kept for ``swipe()``. Call it before a person is told to swipe, who may be
    /// quick.
    public func expect() { state.withLock { ($0.isExpecting, $0.kept) = (true, nil) } }

    /// Waits for the next swipe, until the task is cancelled. What ``expect()`` asked for ends with it.
    ///
    /// - Returns: whatever the reader could read.
    /// - Throws: ``MSRError``
    public func swipe() async throws(MSRError) -> Swipe {
        let ticket = state.withLock {
            $0.lastTicket += 1
            return $0.lastTicket
        }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let result: Result<Swipe, MSRError>? = state.withLock { state in
                    guard state.waiter == nil else { return .failure(.busy) }
                    defer { (state.isExpecting, state.kept) = (false, nil) }
                    // The cancellation may have come before there was anything to end.
                    if Task.isCancelled { return .failure(.cancelled) }
                    if let kept = state.kept { return .success(kept) }
                    if let ending = state.ending { return .failure(ending) }
                    state.waiter = (ticket, continuation)
                    return nil
                }
                if let result { continuation.resume(returning: result) }
            }
        } onCancel: {
            answer(.failure(.cancelled), ticket: ticket)
        }
        return try result.get()
    }

    /// Why the reader takes no swipes any more; nil while it does.
    public var loss: MSRError? { state.withLock { $0.ending } }

    /// Ends a wait and gives the device back. May be called more than once, and from a cancelled task.
    public func close() async {
        end(.closed)
        await hid.close()
        await state.withLock { $0.listener }?.value
    }

    private func listen(_ first: SwipeDecoder) async {
        var decoder = first
        var failures = 0
        while loss == nil {
            do throws(HIDError) {
                var report = try await hid.nextReport(timeout: decoder.isUnderWay ? Self.keyTimeout : Self.patience)
                failures = 0
                if let swipe = decoder.take(report) { answer(.success(swipe)) }
                report.wipe()
            } catch {
                switch error {
                case .timedOut: if let swipe = decoder.finish() { answer(.success(swipe)) }
                case .deviceGone, .closed, .cancelled: end(MSRError(error))
                default:
                    failures += 1
                    if failures >= Self.maximumFailures { end(MSRError(error)) }
                }
            }
        }
    }

    private func end(_ ending: MSRError) {
        state.withLock { $0.ending = $0.ending ?? ending }
        answer(.failure(ending))
    }

    /// Answers whoever waits, or the one with this ticket.
    private func answer(_ result: Result<Swipe, MSRError>, ticket: UInt64? = nil) {
        let waiter = state.withLock { state in
            if case .success(let swipe) = result, state.isExpecting { state.kept = state.kept ?? swipe }
            return ticket == nil || state.waiter?.ticket == ticket ? state.waiter.take() : nil
        }
        waiter?.continuation.resume(returning: result)
    }
}
