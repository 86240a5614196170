public import Determinism

/// Lends the devices of a simulated bus to other machines: they import one over USB/IP, and their kernel drives it
/// like one that is plugged in. Each connection has one device, and a device has one connection; it comes free when
/// that ends. A device that is pulled out takes its connection with it.
///
/// The bus ID of a device names its port: `1-1` is the first one.
public final class USBIPServer: Sendable {
    /// Where it listens.
    public var address: DoorAddress { listener.address }

    private let bus: SimulatedUSBBus
    private let listener: DoorListener
    private let visits: USBIPVisits
    private let onEvent: @Sendable (USBIPEvent) -> Void

    /// Listens. Clients are served by ``serve()``.
    ///
    /// - Parameters:
    ///   - bus: the devices. On a clock over `SystemTimeSource` they take the time that they take.
    ///   - address: where to listen; port 0 stands for any that is free, see ``address``.
    ///   - stay: how long the server goes on. Who only looks at the list has not been there.
    ///   - patience: how long a client may take to ask for something, to send the rest of it, and to take bytes.
    ///   - time: what the server waits on for a client.
    ///   - onEvent: told of what happens, in order for each device.
    /// - Throws: ``DoorError/notListening(_:reason:)``
    public init(
        bus: SimulatedUSBBus, at address: DoorAddress, stay: DoorStay = DoorStay(), patience: Duration = .seconds(10),
        time: any TimeSource = SystemTimeSource(), onEvent: @escaping @Sendable (USBIPEvent) -> Void = { _ in }
    ) async throws(DoorError) {
        (self.bus, self.onEvent) = (bus, onEvent)
        visits = USBIPVisits(stay, time)
        listener = try await DoorListener.open(address, patience: patience)
    }

    /// Serves clients until the task is cancelled, or as long as ``DoorStay`` says. Every connection has ended when
    /// this returns. Call it once.
    ///
    /// - Throws: ``DoorError/nobodyCame(_:)``, ``DoorError/notListening(_:reason:)`` when no more connections can be
    ///   taken
    public func serve() async throws(DoorError) {
        let failure = await withTaskGroup(of: DoorError?.self) { group in
            group.addTask { [self] in await acceptClients() }
            group.addTask { [self] in await visits.isOver() ? .nobodyCame(address) : nil }
            // Somebody must be waiting for what is planned to happen on the bus.
            group.addTask { [bus] in
                for await _ in bus.hotplugEvents() {}
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
        if let failure { throw failure }
    }

    /// - Returns: why no more come; nil when the task was cancelled.
    private func acceptClients() async -> DoorError? {
        await withDiscardingTaskGroup { group in
            while true {
                do throws(DoorError) {
                    let connection = try await listener.accept()
                    guard visits.enter() else {
                        onEvent(.dropped(reason: "too many connections without a device"))
                        continue
                    }
                    group.addTask { [self] in
                        await USBIPConnection(connection, bus: bus, onEvent: tell).serve()
                        visits.leave()
                    }
                } catch {
                    group.cancelAll()
                    return error == .cancelled ? nil : error
                }
            }
        }
    }

    private func tell(_ event: USBIPEvent) {
        visits.note(event)
        onEvent(event)
    }
}
