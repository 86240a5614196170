public import Determinism
public import USB

/// Installs firmware: brings a device into update mode, sends the firmware, and waits until the device works again
/// (DFU 1.1 §5 to §7).
public struct DFUInstaller: Sendable {
    /// How long one request may take.
    private static let requestTimeout = Duration.seconds(5)
    /// How long a device may be away when it changes its mode, beyond what it asks for.
    private static let absence = Duration.seconds(15)
    /// How long a node may lack its permissions when the device has just come.
    private static let settling = Duration.seconds(3)

    private let bus: any USBBus
    private let time: any TimeSource

    /// - Parameters:
    ///   - bus: where the device is.
    ///   - time: measures the waits.
    public init(bus: any USBBus, time: any TimeSource) { (self.bus, self.time) = (bus, time) }

    /// Installs firmware on a device, in whichever mode it is. Nobody else may have the device open.
    ///
    /// When the caller's task is cancelled the update ends if it still may, and the call returns when the device works as
    /// before; once the first byte was sent it goes on to its end.
    ///
    /// - Parameters:
    ///   - file: the firmware.
    ///   - device: as it shows itself now.
    ///   - updateMode: idVendor and idProduct that the device shows in update mode; nil when they are not known: then it has
    ///     the same vendor there. Whoever knows them answers for it that the file is for a device that shows them already.
    ///   - commitment: through which the update can be cancelled.
    ///   - onProgress: how much of the firmware the device has, 0...1, growing; from the first call on, with 0, the update
    ///     cannot be cancelled any more.
    /// - Returns: the device as it shows itself with the new firmware.
    /// - Throws: ``DFUError``. After ``DFUError/cancelled`` the device works as before; after every other error it may be in
    ///   update mode, from which another call brings it out.
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
        // In update mode the product may be another one than the file's, the vendor not (DFU 1.1 appendix B).
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
        guard !commitment.isCancelled else { throw .cancelled }
        let place = DFUPlace(of: device)
        let target =
            interface.mode == .update
            ? device : try await bringIntoUpdateMode(device, interface, place, isWanted)
        do throws(DFUError) {
            guard try await download(file.firmware, to: target, commitment, onProgress) else {
                // What an earlier download left complete has been taken in, or dropped. Now comes this one.
                guard tries > 1 else { throw .unexpectedState(.manifestWaitReset) }
                let again = await wait(for: place, Self.absence) { Self.isAtWork($0) || isWanted($0) }
                guard let again else { throw .noReturn }
                return try await perform(file, again, isWanted, commitment, onProgress, tries: tries - 1)
            }
        } catch {
            // It can still say that its old firmware runs; one that cannot stays where it is.
            if isLeftAlone(after: error) { _ = await wait(for: place, Self.absence, Self.isAtWork) }
            throw error
        }
        guard let updated = await wait(for: place, Self.absence, Self.isAtWork) else { throw .noReturn }
        return updated
    }

    /// Whether the device was reset without new firmware.
    private func isLeftAlone(after error: DFUError) -> Bool {
        switch error {
        case .cancelled, .refused: true
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
        // A device that leaves at once cannot end the request as it should: what counts is whether it comes.
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
                guard commitment.commit() else { throw .cancelled }
                if isFirst { onProgress(0) }
                try await send(request, machine, transport)
                action = machine.afterwards
            case .reset:
                // One that has left by itself, or leaves because of it, is where it should be.
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
            // After a stall the status says what was wrong.
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

    /// Opens a device that may have come a moment ago.
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

    /// Waits until a device of a kind is at a place; nil when none comes in time.
    private func wait(
        for place: DFUPlace, _ patience: Duration, _ isWanted: @escaping @Sendable (USBDevice) -> Bool
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
                try? await time.sleep(for: patience)
                return nil
            }
            let found = await group.next() ?? nil
            group.cancelAll()
            if let found { return found }
            // It may have come in the last moment.
            return await look()
        }
    }
}
