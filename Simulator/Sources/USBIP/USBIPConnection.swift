internal import Determinism
internal import Synchronization
internal import USB

/// One client of a server, from its request to the end of its connection.
final class USBIPConnection: Sendable {
    /// How many answers a client may leave waiting that does not read them.
    private static let mostUnsent = 1024

    private let connection: DoorConnection
    private let bus: SimulatedUSBBus
    private let onEvent: @Sendable (USBIPEvent) -> Void
    private let outgoing: AsyncStream<[UInt8]>
    private let outbox: AsyncStream<[UInt8]>.Continuation
    private let unsent = Mutex(0)

    init(_ connection: DoorConnection, bus: SimulatedUSBBus, onEvent: @escaping @Sendable (USBIPEvent) -> Void) {
        (self.connection, self.bus, self.onEvent) = (connection, bus, onEvent)
        (outgoing, outbox) = AsyncStream.makeStream()
    }

    /// Serves the client until it goes, its device goes, or the task is cancelled.
    func serve() async {
        var session = USBIPSession()
        do throws(DoorError) {
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

    private func next(_ session: inout USBIPSession) async throws(DoorError) -> USBIPSession.Step {
        while true {
            if let step = try session.next() { return step }
            session.receive(try await connection.receive(isOwed: session.isOwed))
        }
    }

    private func lend(_ busID: String, _ session: USBIPSession) async throws(DoorError) {
        let port = bus.ports.first { $0.record.busID == busID }
        let owner = ObjectIdentifier(self)
        guard let port, port.claimAll(by: owner) else {
            let refusal = port == nil ? USBIPRefusal.unknown : .busy
            onEvent(.refused(busID: busID, refusal))
            return try await connection.send(USBIPAnswer.refused(refusal).bytes)
        }
        onEvent(.imported(busID: busID, port.device))
        let reason = await serve(port, session)
        // The next client finds the device as if it had just been plugged in. One that has left is not at this port any
        // more: it may be on its way into update mode.
        if port.isConnected { port.reset() }
        port.releaseAll(by: owner)
        bus.clock.signal()
        onEvent(.released(busID: busID, reason: reason))
    }

    // MARK: With a device

    /// Everything that a client may set off is done at once by whoever receives; what the device holds back is
    /// watched; and one task sends.
    ///
    /// - Returns: why it ended.
    private func serve(_ port: SimulatedUSBPort, _ session: USBIPSession) async -> String {
        let transfers = USBIPRunningTransfers(port: port, clock: bus.clock) { [self] in put($0.bytes) }
        put(USBIPAnswer.imported(port.record).bytes)
        var session = session
        session.imported(device: port.record.number)
        return await withTaskGroup(of: (endsOthers: Bool, reason: String?).self) { [session] group in
            group.addTask { [self] in
                let reason = await exchange(session, transfers)
                // What the device has done is still told, but not to a client that does not listen.
                outbox.finish()
                return (hasUnsentTooMany, reason)
            }
            group.addTask { [self] in
                do throws(DoorError) {
                    for await bytes in outgoing {
                        try await connection.send(bytes)
                        unsent.withLock { $0 -= 1 }
                    }
                    return (true, nil)
                } catch {
                    return (true, error.description)
                }
            }
            // The sender has a reason only when it fails; otherwise it comes to its end behind the other.
            var first: String?
            while let end = await group.next() {
                first = first ?? end.reason
                if end.endsOthers { group.cancelAll() }
            }
            return first ?? ""
        }
    }

    private var hasUnsentTooMany: Bool { unsent.withLock { $0 } > Self.mostUnsent }

    private func put(_ bytes: [UInt8]) {
        unsent.withLock { $0 += 1 }
        outbox.yield(bytes)
    }

    /// Takes commands until the client or its device goes.
    ///
    /// - Returns: why it ended.
    private func exchange(_ session: USBIPSession, _ transfers: USBIPRunningTransfers) async -> String {
        let failure = await withTaskGroup(of: DoorError?.self) { group in
            group.addTask { [self] in
                var session = session
                do throws(DoorError) {
                    while true {
                        guard case .perform(let command) = try await next(&session) else { continue }
                        try transfers.perform(command)
                        guard !hasUnsentTooMany else {
                            throw .peerGone(reason: "it does not take what it asks for")
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
    /// The device as clients see it.
    fileprivate var record: USBIPDeviceRecord {
        USBIPDeviceRecord(busID: "\(device.bus)-\(number)", device: device, speed: simulated.descriptors.speed)
    }
}
