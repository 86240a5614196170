internal import CCID
internal import Determinism
internal import SmartCard
internal import Synchronization
internal import USB

/// A reader whose answers and notices are drawn from the input. It is unplugged in the end.
final class FuzzedReader: USBTransport {
    private struct State {
        var command: [UInt8] = []
        var reads = 0
        var notices: [[UInt8]] = []
    }

    private static let maximumReads = 200
    private static let answers: [UInt8: UInt8] = [0x61: 0x82, 0x62: 0x80, 0x6B: 0x83, 0x6C: 0x82, 0x6F: 0x80]

    let device: USBDevice
    private let choices: Choices
    private let state = Mutex(State())

    init(_ choices: Choices) {
        self.choices = choices
        let levels: [CCIDExchangeLevel] = [.tpdu, .shortAPDU, .extendedAPDU, .character]
        let descriptor = CCIDClassDescriptor(level: choices.element(of: levels))
        device = USBDevice(
            bus: 1, address: 2, descriptor: USBDeviceDescriptor(vendorID: 0x1209, productID: 1, release: 1),
            configuration: USBConfiguration(
                value: 1,
                interfaces: [
                    USBInterface(
                        number: 0, classCode: 0x0B,
                        endpoints: [
                            USBEndpoint(address: 0x82, kind: .bulk, maximumPacketSize: 64),
                            USBEndpoint(address: 0x03, kind: .bulk, maximumPacketSize: 64),
                            USBEndpoint(address: 0x81, kind: .interrupt, maximumPacketSize: 8),
                        ], classDescriptors: [descriptor.bytes])
                ]))
    }

    /// Opens the reader and uses its card, until the first error.
    func use() async {
        guard
            let reader = try? await CCIDReader.open(device, on: FuzzedBus(reader: self), time: VirtualTimeSource())
        else { return }
        if let channel = try? await reader.powerOn() {
            let select = try? CommandAPDU(cla: 0, ins: 0xA4, p1: 4, p2: 0, data: [0xA0, 0], expectedLength: 256)
            for command in [select, CommandAPDU(0, 0xB2, 1, 0x0C, le: 0)] {
                guard let command, (try? await channel.transmit(command)) != nil else { break }
            }
        }
        await reader.close()
    }

    func claim(interface: UInt8) async throws(USBError) {}
    func release(interface: UInt8) async throws(USBError) {}
    func clearHalt(endpoint: UInt8) async throws(USBError) {}
    func reset() async throws(USBError) {}
    func close() async {}
    func control(_ request: USBControlRequest, timeout: Duration) async throws(USBError) -> [UInt8] { [] }

    func bulkOut(_ bytes: [UInt8], endpoint: UInt8, timeout: Duration) async throws(USBError) {
        state.withLock { $0.command = bytes }
    }

    func bulkIn(endpoint: UInt8, maximumLength: Int, timeout: Duration) async throws(USBError) -> [UInt8] {
        let command = try command()
        switch choices.number(below: 5) {
        case 2: return choices.bytes(choices.number(below: 256))
        case 3: throw .stalled
        case let kind:
            if kind == 4 { notify(choices.bytes(choices.number(below: 8))) }
            let length = choices.number(below: 256)
            let fields = choices.bytes(3)
            let header = [Self.answers[command[0]] ?? 0x81, UInt8(length), 0, 0, 0] + command[5...6] + fields
            return header + choices.bytes(length)
        }
    }

    func interruptIn(endpoint: UInt8, maximumLength: Int, timeout: Duration) async throws(USBError) -> [UInt8] {
        await Task.yield()
        let notice = state.withLock { $0.notices.isEmpty ? nil : $0.notices.removeFirst() }
        guard let notice else { throw .timedOut }
        return notice
    }

    private func notify(_ notice: [UInt8]) { state.withLock { $0.notices.append(notice) } }

    /// The command that is under way.
    private func command() throws(USBError) -> [UInt8] {
        let command = state.withLock { state -> [UInt8]? in
            state.reads += 1
            return state.reads <= Self.maximumReads && state.command.count >= 10 ? state.command : nil
        }
        guard let command else { throw .disconnected }
        return command
    }

    /// A bus with one such reader.
    private struct FuzzedBus: USBBus {
        let reader: FuzzedReader

        func devices() async throws(USBError) -> [USBDevice] { [reader.device] }
        func hotplugEvents() -> AsyncStream<USBHotplugEvent> { AsyncStream { $0.finish() } }
        func open(_ device: USBDevice) async throws(USBError) -> any USBTransport { reader }
    }
}
