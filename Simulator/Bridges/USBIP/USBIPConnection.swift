import Determinism
import Synchronization
import USB

/// One client connection of a server, from its request to its end.
final class USBIPConnection: Sendable {
    /// The maximum number of answers waiting for a client that does not read.
    private static let mostUnsent = 1024

    private let connection: BridgeConnection
    private let bus: SimulatedUSBBus
    private let onEvent: @Sendable (USBIPEvent) -> Void
    private let outgoing: AsyncStream<[UInt8]>
    private let outbox: AsyncStream<[UInt8]>.Continuation
    private let unsent = Mutex(Unsent())

    /// The answers that wait for the client.
    private struct Unsent {
        var count = 0
        /// Whether they were ever too many. It stays so: the sender may take one more before the connection ends.
        var wereTooMany = false
    }

    init(_ connection: BridgeConnection, bus: SimulatedUSBBus, onEvent: @escaping @Sendable (USBIPEvent) -> Void) {
        (self.connection, self.bus, self.onEvent) = (connection, bus, onEvent)
        (outgoing, outbox) = AsyncStream.makeStream()
    }

    /// Serves the client until it disconnects, its device is unplugged, or the task is canceled.
    func serve() async {
        var session = USBIPSession()
        do throws(BridgeError) {
            guard case .answer(let request) = try await next(&session) else { return }
            switch request {
            case .deviceList:
                let records = bus.ports.filter(\.isFree).map(\.record)
                try await connection.send(USBIPAnswer.deviceList(records).bytes)
                onEvent(.listed(devices: records.count))
            case .importDevice(let busID):
                try await lend(busID, session)
            }
        } catch {
            onEvent(.dropped(reason: error.description))
        }
    }

    private func next(_ session: inout USBIPSession) async throws(BridgeError) -> USBIPSession.Step {
        while true {
            if let step = try session.next() { return step }
            session.receive(try await connection.receive(isOwed: session.isOwed))
        }
    }

    private func lend(_ busID: String, _ session: USBIPSession) async throws(BridgeError) {
        let port = bus.ports.first { $0.record.busID == busID }
        let owner = ObjectIdentifier(self)
        guard let port, port.claimAll(by: owner) else {
            let refusal = port == nil ? USBIPRefusal.unknown : .busy
            onEvent(.refused(busID: busID, refusal))
            return try await connection.send(USBIPAnswer.refused(refusal).bytes)
        }
        onEvent(.imported(busID: busID, port.device))
        let reason = await serve(port, session)
        // Reset the device for the next client. A device that left the port, for example on its way into update mode,
        // stays as it is.
        if port.isConnected { port.reset() }
        port.releaseAll(by: owner)
        bus.clock.signal()
        onEvent(.released(busID: busID, reason: reason))
    }

    // MARK: Imported device

    /// Serves an imported device. The receiving task executes commands at once, a second task watches for data that
    /// the device holds back, and a third one sends.
    ///
    /// - Returns: why the connection ended.
    private func serve(_ port: SimulatedUSBPort, _ session: USBIPSession) async -> String {
        let transfers = USBIPRunningTransfers(port: port, clock: bus.clock) { [self] in put($0.bytes) }
        put(USBIPAnswer.imported(port.record).bytes)
        var session = session
        session.imported(device: port.record.number)
        return await withTaskGroup(of: (endsOthers: Bool, reason: String?).self) { [session] group in
            group.addTask { [self] in
                let reason = await exchange(session, transfers)
                // Send the device's last replies, unless the client does not read.
                outbox.finish()
                return (hadUnsentTooMany, reason)
            }
            group.addTask { [self] in
                do throws(BridgeError) {
                    for await bytes in outgoing {
                        try await connection.send(bytes)
                        unsent.withLock { $0.count -= 1 }
                    }
                    return (true, nil)
                } catch {
                    return (true, error.description)
                }
            }
            // The sender has a reason only if it fails; otherwise it ends after the others.
            var first: String?
            while let end = await group.next() {
                first = first ?? end.reason
                if end.endsOthers { group.cancelAll() }
            }
            return first ?? ""
        }
    }

    private var hadUnsentTooMany: Bool { unsent.withLock { $0.wereTooMany } }

    private func put(_ bytes: [UInt8]) {
        unsent.withLock { unsent in
            unsent.count += 1
            if unsent.count > Self.mostUnsent { unsent.wereTooMany = true }
        }
        outbox.yield(bytes)
    }

    /// Receives commands until the client or its device is gone.
    ///
    /// - Returns: why it ended.
    private func exchange(_ session: USBIPSession, _ transfers: USBIPRunningTransfers) async -> String {
        let failure = await withTaskGroup(of: BridgeError?.self) { group in
            group.addTask { [self] in
                var session = session
                do throws(BridgeError) {
                    while true {
                        guard case .perform(let command) = try await next(&session) else { continue }
                        try transfers.perform(command)
                        guard !hadUnsentTooMany else {
                            throw .peerDisconnected(reason: "it does not read its replies")
                        }
                    }
                } catch {
                    return error
                }
            }
            group.addTask {
                await transfers.watch()
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
        guard transfers.isConnected else { return "the device was unplugged" }
        guard !Task.isCancelled, let failure else { return "the server ended" }
        return failure.description
    }
}

extension SimulatedUSBPort {
    /// The device as shown to clients.
    fileprivate var record: USBIPDeviceRecord {
        USBIPDeviceRecord(busID: "\(device.bus)-\(number)", device: device, speed: simulated.descriptors.speed)
    }
}
