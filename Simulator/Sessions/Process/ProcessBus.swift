internal import Synchronization
internal import USB

/// The USB bus as one process has it. When the process dies, the kernel closes what it has open.
final class ProcessBus: USBBus {
    private let bus: any USBBus
    private let life: ProcessLife
    private let open = Mutex<[any USBTransport]>([])

    init(_ bus: any USBBus, _ life: ProcessLife) {
        (self.bus, self.life) = (bus, life)
        life.onEnd { [weak self] in self?.closeAll() }
    }

    private func closeAll() {
        let transports = open.withLock { open in
            defer { open = [] }
            return open
        }
        for transport in transports { Task { await transport.close() } }
    }

    func devices() async throws(USBError) -> [USBDevice] {
        try check()
        return try await bus.devices()
    }

    func hotplugEvents() -> AsyncStream<USBHotplugEvent> { bus.hotplugEvents() }

    func open(_ device: USBDevice) async throws(USBError) -> any USBTransport {
        try check()
        let transport = try await bus.open(device)
        open.withLock { $0.append(transport) }
        return transport
    }

    func status(of device: USBDevice) async throws(USBError) -> USBDeviceStatus {
        try check()
        return try await bus.status(of: device)
    }

    func owners(of device: USBDevice, interface: UInt8?) async -> [USBDeviceOwner] {
        await bus.owners(of: device, interface: interface)
    }

    func mayOpen(vendorID: UInt16, productID: UInt16) async -> Bool {
        await bus.mayOpen(vendorID: vendorID, productID: productID)
    }

    private func check() throws(USBError) {
        guard life.isAlive else { throw .disconnected }
    }
}
