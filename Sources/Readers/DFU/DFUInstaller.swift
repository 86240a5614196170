public import Determinism
import Synchronization
public import USB

/// Installs firmware: puts a device into update mode, sends the firmware, and waits until the device works again
/// (DFU 1.1 §5 to §7).
public struct DFUInstaller: Sendable {
    /// The timeout of one request.
    private static let requestTimeout = Duration.seconds(5)
    /// How long a device may be off the bus while it changes its mode, beyond the time that it requests.
    private static let absence = Duration.seconds(15)
    /// How long a device node may lack its permissions after the device was plugged in.
    private static let settling = Duration.seconds(3)

    private let bus: any USBBus
    private let time: any TimeSource

    /// - Parameters:
    ///   - bus: the bus of the device.
    ///   - time: the clock of the waits.
    public init(bus: any USBBus, time: any TimeSource) { (self.bus, self.time) = (bus, time) }

    /// Installs firmware on a device in either mode. No other program may have the device open.
    ///
    /// When the caller's task is canceled the update ends if it still may, and the call returns when the device works
    /// as before; once the first byte was sent it goes on to its end.
    ///
    /// - Parameters:
    ///   - file: the firmware.
    ///   - device: the device as it is listed now.
    ///   - updateMode: idVendor and idProduct that the device shows in update mode; nil when they are not known: then
    ///     it has the same vendor there. The caller who gives them vouches that the file is for a device that shows
    ///     them already.
    ///   - commitment: the handle to cancel the update.
    ///   - onProgress: called with the part of the firmware that the device has received, 0...1, increasing; from the
    ///     first call on, with 0, the update cannot be canceled anymore.
    /// - Returns: the device as it is listed with the new firmware.
    /// - Throws: ``DFUError``. After ``DFUError/canceled`` the device works as before; after every other error it may
    ///   be in update mode, from which another call brings it out.
    public func install(
        _ file: DFUFile, on device: USBDevice, updateMode: (vendorID: UInt16, productID: UInt16)? = nil,
        commitment: DFUCommitment = DFUCommitment(),
        onProgress: @escaping @Sendable (Double) -> Void
    ) async throws(DFUError) -> USBDevice {
        let own = device.descriptor
        let isWanted: @Sendable (USBDevice) -> Bool = { found in
            guard DFUInterface.find(in: found)?.mode == .update else { return false }
            let numbers = found.descriptor
            guard let updateMode else { return numbers.vendorID == own.vendorID }
            return (numbers.vendorID, numbers.productID) == updateMode
        }
        // In update mode the product may differ from the file's, the vendor may not (DFU 1.1 appendix B).
        guard updateMode != nil || file.isFor(vendorID: own.vendorID, productID: file.productID ?? own.productID) else {
            throw .wrongDevice(vendorID: own.vendorID, productID: own.productID)
        }
        let work = Task { () -> Result<USBDevice, DFUError> in
            do throws(DFUError) {
                return .success(try await perform(file, device, isWanted, commitment, onProgress, tries: 2))
            } catch {
                return .failure(error)
            }
        }
        return try await withTaskCancellationHandler {
            await work.value
        } onCancel: {
            _ = commitment.cancel()
        }.get()
    }

    private func perform(
        _ file: DFUFile, _ device: USBDevice, _ isWanted: @escaping @Sendable (USBDevice) -> Bool,
        _ commitment: DFUCommitment, _ onProgress: @escaping @Sendable (Double) -> Void, tries: Int
    ) async throws(DFUError) -> USBDevice {
        guard let interface = DFUInterface.find(in: device), interface.canDownload else { throw .notSupported }
        let numbers = device.descriptor
        guard interface.mode == .update || file.isFor(vendorID: numbers.vendorID, productID: numbers.productID) else {
            throw .wrongDevice(vendorID: numbers.vendorID, productID: numbers.productID)
        }
        guard !commitment.isCancelled else { throw .canceled }
        let place = DFUPlace(of: device)
        let target =
            interface.mode == .update
            ? device : try await bringIntoUpdateMode(device, interface, place, isWanted)
        do throws(DFUError) {
            guard try await download(file.firmware, to: target, commitment, onProgress) else {
                // The device has installed or dropped the earlier download. Now send this one.
                guard tries > 1 else { throw .unexpectedState(.manifestWaitReset) }
                let again = await wait(for: place, Self.absence) { Self.isAtWork($0) || isWanted($0) }
                guard let again else { throw .noReturn }
                return try await perform(file, again, isWanted, commitment, onProgress, tries: tries - 1)
            }
        } catch {
            // Wait for a device whose old firmware still works; any other stays in update mode.
            if isLeftAlone(after: error) { _ = await wait(for: place, Self.absence, Self.isAtWork) }
            throw error
        }
        guard let updated = await wait(for: place, Self.absence, Self.isAtWork) else { throw .noReturn }
        return updated
    }

    /// Returns whether the device was reset without new firmware.
    private func isLeftAlone(after error: DFUError) -> Bool {
        switch error {
        case .canceled, .refused: true
        default: false
        }
    }

    // MARK: Into update mode

    private func bringIntoUpdateMode(
        _ device: USBDevice, _ interface: DFUInterface, _ place: DFUPlace,
        _ isWanted: @escaping @Sendable (USBDevice) -> Bool
    ) async throws(DFUError) -> USBDevice {
        let transport = try await open(device)
        do throws(USBError) { try await transport.claim(interface: interface.number) } catch {
            await transport.close()
            throw .usb(error)
        }
        var failure: USBError?
        do throws(USBError) {
            _ = try await transport.control(DFURequest.detach(interface), timeout: Self.requestTimeout)
            if !interface.detachesItself { try await transport.reset() }
        } catch {
            failure = error
        }
        await transport.close()
        // A device that leaves at once cannot complete the request: what counts is whether it comes back.
        guard let target = await wait(for: place, interface.detachTimeout + Self.absence, isWanted) else {
            switch failure {
            case nil, .disconnected, .notFound: throw .noUpdateMode
            case .some(let error): throw .usb(error)
            }
        }
        return target
    }

    // MARK: The firmware

    /// - Returns: false when the device was reset because of an earlier download, and has nothing of this one.
    private func download(
        _ firmware: [UInt8], to device: USBDevice, _ commitment: DFUCommitment, _ onProgress: @Sendable (Double) -> Void
    ) async throws(DFUError) -> Bool {
        guard let interface = DFUInterface.find(in: device), interface.mode == .update, interface.canDownload else {
            throw .notSupported
        }
        let transport = try await open(device)
        var machine = DFUDownload(firmware, to: interface)
        do throws(DFUError) {
            do throws(USBError) { try await transport.claim(interface: interface.number) } catch { throw .usb(error) }
            try await run(&machine, on: transport, interface, commitment, onProgress)
        } catch {
            if isLeftAlone(after: error) { try? await transport.reset() }
            await transport.close()
            throw error
        }
        await transport.close()
        return machine.isManifesting
    }

    private func run(
        _ machine: inout DFUDownload, on transport: any USBTransport, _ interface: DFUInterface,
        _ commitment: DFUCommitment, _ onProgress: @Sendable (Double) -> Void
    ) async throws(DFUError) {
        var action = machine.first
        while true {
            switch action {
            case .ask: action = try await ask(&machine, transport, interface, onProgress)
            case .wait(let pause):
                try? await time.sleep(for: pause)
                action = machine.afterwards
            case .send(let request):
                try await send(request, machine, transport)
                action = machine.afterwards
            case .write(let request):
                let isFirst = commitment.isOpen
                guard commitment.commit() else { throw .canceled }
                if isFirst { onProgress(0) }
                try await send(request, machine, transport)
                action = machine.afterwards
            case .reset:
                // The device may have left by itself, or leave because of the reset: both are fine.
                try? await transport.reset()
                return
            }
        }
    }

    private func send(
        _ request: USBControlRequest, _ machine: DFUDownload, _ transport: any USBTransport
    ) async throws(DFUError) {
        do throws(USBError) {
            _ = try await transport.control(request, timeout: Self.requestTimeout)
        } catch {
            // After a stall the status has the error.
            guard error != .stalled else { return }
            throw Self.failure(error, machine)
        }
    }

    private func ask(
        _ machine: inout DFUDownload, _ transport: any USBTransport, _ interface: DFUInterface,
        _ onProgress: @Sendable (Double) -> Void
    ) async throws(DFUError) -> DFUAction {
        let answer: [UInt8]
        do throws(USBError) {
            answer = try await transport.control(DFURequest.getStatus(interface), timeout: Self.requestTimeout)
        } catch {
            if let action = machine.silence() { return action }
            throw Self.failure(error, machine)
        }
        let before = machine.progress
        let action = try machine.take(try DFUStatus(parsing: answer))
        if machine.progress > before { onProgress(machine.progress) }
        return action
    }

    private static func failure(_ error: USBError, _ machine: DFUDownload) -> DFUError {
        error == .disconnected ? .unplugged(progress: machine.progress) : .usb(error)
    }

    // MARK: Devices

    private static func isAtWork(_ device: USBDevice) -> Bool { DFUInterface.find(in: device)?.mode != .update }

    /// Opens a device that may have just been plugged in.
    private func open(_ device: USBDevice) async throws(DFUError) -> any USBTransport {
        let begin = time.reading()
        while true {
            do throws(USBError) {
                return try await bus.open(device)
            } catch {
                guard error == .accessDenied || error == .notFound, time.elapsed(since: begin) < Self.settling else {
                    throw .usb(error)
                }
                try? await time.sleep(for: .milliseconds(100))
            }
        }
    }

    /// Waits for a device at a place; nil when none arrives in time.
    private func wait(
        for place: DFUPlace, _ timeout: Duration, _ isWanted: @escaping @Sendable (USBDevice) -> Bool
    ) async -> USBDevice? {
        let changes = bus.hotplugEvents()
        let (bus, time) = (bus, time)
        @Sendable func look() async -> USBDevice? {
            ((try? await bus.devices()) ?? []).first { place.isPlace(of: $0) && isWanted($0) }
        }
        if let found = await look() { return found }
        return await withTaskGroup(of: USBDevice?.self) { group in
            group.addTask {
                for await _ in changes {
                    if let found = await look() { return found }
                }
                return nil
            }
            group.addTask {
                try? await time.sleep(for: timeout)
                return nil
            }
            let found = await group.next() ?? nil
            group.cancelAll()
            if let found { return found }
            // It may have arrived at the last moment.
            return await look()
        }
    }
}

/// The place of a device on the bus. A device that enters or leaves update mode appears as a new device at the same
/// place.
public struct DFUPlace: Hashable, Sendable {
    private let bus: UInt8
    private let port: String?
    private let vendorID: UInt16
    private let serialNumber: String?

    /// Takes the place where a device is now.
    public init(of device: USBDevice) {
        (bus, port) = (device.bus, device.port)
        (vendorID, serialNumber) = (device.descriptor.vendorID, device.serialNumber)
    }

    /// Returns whether a device is at this place. Where ports are not known, a device of the same vendor on the same
    /// bus matches if it has the same serial number, or neither has one.
    public func isPlace(of device: USBDevice) -> Bool {
        guard device.bus == bus else { return false }
        if let port, let other = device.port { return port == other }
        return device.descriptor.vendorID == vendorID && device.serialNumber == serialNumber
    }
}

/// Whether an update may still be canceled. The decision falls once, before the first byte is sent.
public final class DFUCommitment: Sendable {
    private enum State { case open, canceled, committed }

    private let state: Mutex<State>

    /// - Parameter isCancellable: false when the device has no working firmware, so that the update must be completed.
    public init(isCancellable: Bool = true) { state = Mutex(isCancellable ? .open : .committed) }

    /// Whether ``cancel()`` would still take effect.
    public var isOpen: Bool { state.withLock { $0 == .open } }

    public var isCancelled: Bool { state.withLock { $0 == .canceled } }

    /// Requests the end of the update.
    ///
    /// - Returns: false when it is too late: the device would be left without firmware.
    public func cancel() -> Bool {
        state.withLock { state in
            if state == .open { state = .canceled }
            return state == .canceled
        }
    }

    /// Decides against cancellation, before the first byte is sent.
    ///
    /// - Returns: false when the update was canceled.
    func commit() -> Bool {
        state.withLock { state in
            if state == .open { state = .committed }
            return state == .committed
        }
    }
}
