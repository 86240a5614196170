import CardSecrets
import Synchronization
public import USB

/// An open magnetic stripe reader. It is read all the time, and a swipe goes to the waiting task. An unexpected swipe
/// is dropped at once, so that no card is used for a later payment.
///
/// Call ``close()`` when done; until then the reader is listened to.
public final class MagneticStripeReader: Sendable {
    private struct State {
        /// The reason why no more swipes come.
        var ending: MagneticStripeReaderError?
        /// A swipe is expected that no task waits for yet.
        var isExpecting = false
        /// The expected swipe that came before a task waited for it.
        var kept: Swipe?
        var lastTicket: UInt64 = 0
        var waiter:
            (ticket: UInt64, continuation: CheckedContinuation<Result<Swipe, MagneticStripeReaderError>, Never>)?
        var listener: Task<Void, Never>?
    }

    /// The timeout of one read; after it the reader is read again.
    private static let readTimeout = Duration.seconds(3600)
    /// The longest pause between two keys of one swipe. Readers type a key every few milliseconds.
    private static let keyTimeout = Duration.milliseconds(400)
    /// How many reads in a row may fail before the driver gives up the reader.
    private static let maximumFailures = 8

    /// The device with its descriptors.
    public let device: USBDevice
    /// The reader's interface in the device.
    public let interface: MagneticStripeInterface
    private let hid: any HIDDevice
    private let state = Mutex(State())

    /// Opens the reader of a device.
    ///
    /// Without permission to detach the kernel's driver, a reader that does not type is read through the kernel's node:
    /// the udev rules grant that for readers of vendors that they do not list.
    ///
    /// - Parameters:
    ///   - device: one of the bus's devices.
    ///   - interface: what ``MagneticStripeInterface/find(in:models:)`` found in it.
    ///   - bus: the bus of the device.
    ///   - path: how to access its reports.
    /// - Returns: the reader, listened to.
    /// - Throws: ``MagneticStripeReaderError``
    public static func open(
        _ device: USBDevice, _ interface: MagneticStripeInterface, on bus: any USBBus, path: HIDAccess = .usb
    ) async throws(MagneticStripeReaderError) -> MagneticStripeReader {
        try await open(device, interface, on: bus, path: path) { () throws(HIDError) in
            try HIDRawDevice(device, interface.hid)
        }
    }

    /// Opens the reader with another function to open the kernel's node.
    static func open(
        _ device: USBDevice, _ interface: MagneticStripeInterface, on bus: any USBBus, path: HIDAccess,
        openNode: () throws(HIDError) -> any HIDDevice
    ) async throws(MagneticStripeReaderError) -> MagneticStripeReader {
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
            throw MagneticStripeReaderError(error)
        }
        do throws(MagneticStripeReaderError) {
            return try MagneticStripeReader(device, interface, hid)
        } catch {
            await hid.close()
            throw error
        }
    }

    /// - Throws: ``MagneticStripeReaderError/notSupported(_:)``; the device is then still the caller's.
    init(_ device: USBDevice, _ interface: MagneticStripeInterface, _ hid: any HIDDevice)
        throws(MagneticStripeReaderError)
    {
        let decoder = try SwipeDecoder(interface, hid.reportDescriptor)
        (self.device, self.interface, self.hid) = (device, interface, hid)
        let listener = Task { await listen(decoder) }
        state.withLock { $0.listener = listener }
    }

    /// Expects a swipe: the next one is kept for ``swipe()``. Call it before the cardholder is asked to swipe.
    public func expect() { state.withLock { ($0.isExpecting, $0.kept) = (true, nil) } }

    /// Waits for the next swipe, until the task is canceled. Ends the effect of ``expect()``.
    ///
    /// - Returns: the readable tracks.
    /// - Throws: ``MagneticStripeReaderError``
    public func swipe() async throws(MagneticStripeReaderError) -> Swipe {
        let ticket = state.withLock {
            $0.lastTicket += 1
            return $0.lastTicket
        }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let result: Result<Swipe, MagneticStripeReaderError>? = state.withLock { state in
                    guard state.waiter == nil else { return .failure(.busy) }
                    defer { (state.isExpecting, state.kept) = (false, nil) }
                    // The cancellation may have come before there was anything to end.
                    if Task.isCancelled { return .failure(.canceled) }
                    if let kept = state.kept { return .success(kept) }
                    if let ending = state.ending { return .failure(ending) }
                    state.waiter = (ticket, continuation)
                    return nil
                }
                if let result { continuation.resume(returning: result) }
            }
        } onCancel: {
            answer(.failure(.canceled), ticket: ticket)
        }
        return try result.get()
    }

    /// The reason why the reader takes no more swipes; nil while it does.
    public var loss: MagneticStripeReaderError? { state.withLock { $0.ending } }

    /// Ends a wait and releases the device. Can be called more than once, and from a canceled task.
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
                var report = try await hid.nextReport(timeout: decoder.isUnderWay ? Self.keyTimeout : Self.readTimeout)
                failures = 0
                if let swipe = decoder.take(report) { answer(.success(swipe)) }
                report.wipe()
            } catch {
                switch error {
                case .timedOut: if let swipe = decoder.finish() { answer(.success(swipe)) }
                case .deviceGone, .closed, .canceled: end(MagneticStripeReaderError(error))
                default:
                    failures += 1
                    if failures >= Self.maximumFailures { end(MagneticStripeReaderError(error)) }
                }
            }
        }
    }

    private func end(_ ending: MagneticStripeReaderError) {
        state.withLock { $0.ending = $0.ending ?? ending }
        answer(.failure(ending))
    }

    /// Resumes the waiting task, or only the one with this ticket.
    private func answer(_ result: Result<Swipe, MagneticStripeReaderError>, ticket: UInt64? = nil) {
        let waiter = state.withLock { state in
            if case .success(let swipe) = result, state.isExpecting { state.kept = state.kept ?? swipe }
            return ticket == nil || state.waiter?.ticket == ticket ? state.waiter.take() : nil
        }
        waiter?.continuation.resume(returning: result)
    }
}

/// The result of a swipe as an object that tasks can pass on. Its description has no card data.
public final class Swipe: Sendable, CustomStringConvertible, CustomReflectable {
    public let stripe: MagneticStripe

    /// Takes the tracks over.
    public init(_ stripe: consuming MagneticStripe) { self.stripe = stripe }

    public var description: String { "Swipe(masked)" }

    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// An error of a magnetic stripe reader. Unreadable cards are not among them: see
/// ``MagneticStripe/MagneticStripe/faults``.
public enum MagneticStripeReaderError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The device is not a known magnetic stripe reader.
    case noReader
    /// The reader cannot be used; the text says why.
    case notSupported(String)
    /// A reader that types cannot be read through the kernel, which types the card data into the focused window.
    case keyboardThroughKernel
    case readerGone
    case closed
    case canceled
    /// Another task already waits for a swipe.
    case busy
    case hid(HIDError)

    public var description: String {
        switch self {
        case .noReader: "the USB device is not a magnetic stripe reader"
        case .notSupported(let reason): "this magnetic stripe reader is not supported: \(reason)"
        case .keyboardThroughKernel:
            "this magnetic stripe reader works as a keyboard and cannot be read through hidraw: set 'path: usb'"
        case .readerGone: "the magnetic stripe reader was unplugged"
        case .closed: "the magnetic stripe reader was closed"
        case .canceled: "the wait for a swipe was canceled"
        case .busy: "another task already waits for a swipe"
        case .hid(let error): error.description
        }
    }

    init(_ error: HIDError) {
        self =
            switch error {
            case .deviceGone: .readerGone
            case .canceled: .canceled
            case .closed: .closed
            default: .hid(error)
            }
    }
}
