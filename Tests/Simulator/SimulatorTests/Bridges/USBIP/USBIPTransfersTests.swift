import Determinism
import Synchronization
import Testing
import USB

@testable import Simulator

struct USBIPTransfersTests {
    /// A device that returns scripted data.
    private final class Device: SimulatedUSBDevice {
        let inputs = Mutex<[UInt8: [SimulatedUSBInput]]>([:])
        let written = Mutex<[[UInt8]]>([])
        let resets = Mutex(0)
        let speed: USBSpeed

        init(speed: USBSpeed = .full) { self.speed = speed }

        var descriptors: SimulatedUSBDescriptors {
            let bulk: [USBEndpoint] = [0x81, 0x02].map {
                USBEndpoint(address: $0, kind: .bulk, maximumPacketSize: 64)
            }
            let interrupts: [USBEndpoint] = [0x83, 0x04].map {
                USBEndpoint(address: $0, kind: .interrupt, maximumPacketSize: 8, interval: 16)
            }
            return SimulatedUSBDescriptors(
                device: USBDeviceDescriptor(vendorID: 0x1209, productID: 0x0001, release: 0x0102),
                configuration: USBConfiguration(
                    value: 3,
                    interfaces: [
                        USBInterface(number: 0, classCode: 0xFF, endpoints: bulk),
                        USBInterface(number: 0, alternateSetting: 1, classCode: 0xFF, endpoints: interrupts),
                    ]), speed: speed, manufacturer: "Maker", product: "Thing")
        }

        func give(_ input: SimulatedUSBInput, _ endpoint: UInt8 = 0x81) {
            inputs.withLock { $0[endpoint, default: []].append(input) }
        }

        func plugged(unplug: @escaping @Sendable () -> Void) {}
        func unplugged() {}
        func reset() { resets.withLock { $0 += 1 } }
        func write(_ bytes: [UInt8], endpoint: UInt8) -> Bool {
            written.withLock { $0.append(bytes) }
            return bytes.first != 0xEE
        }
        func read(endpoint: UInt8, maximumLength: Int) -> SimulatedUSBInput {
            inputs.withLock { inputs in
                guard let first = inputs[endpoint]?.first else { return .notYet(nil) }
                if case .notYet = first { return first }
                return inputs[endpoint]?.removeFirst() ?? .notYet(nil)
            }
        }
        func hasInput(endpoint: UInt8) -> Bool { inputs.withLock { $0[endpoint]?.isEmpty == false } }
        func control(_ request: USBControlRequest) -> [UInt8]? {
            switch request.requestType & 0x60 {
            // A report descriptor.
            case 0x00: request.request == 6 && request.value == 0x2200 ? [0x05, 0x01] : nil
            case 0x20: request.isInput ? [1, 2, 3, 4] : request.data == [7] ? [] : nil
            default: nil
            }
        }
    }

    private let device: Device
    private var transfers: USBIPTransfers

    init() { self.init(Device()) }

    private init(_ device: Device) {
        self.device = device
        transfers = USBIPTransfers(port: SimulatedUSBPort(device, bus: 1, address: 5, number: 1))
    }

    private func read(_ sequence: UInt32, _ length: Int = 64, endpoint: UInt8 = 0x81, full: Bool = false)
        -> USBIPTransfer
    {
        USBIPTransfer(sequence: sequence, endpoint: endpoint, mustBeFull: full, length: length)
    }

    private func write(_ sequence: UInt32, _ data: [UInt8], endpoint: UInt8 = 0x02) -> USBIPTransfer {
        USBIPTransfer(sequence: sequence, endpoint: endpoint, length: data.count, data: data)
    }

    /// A control request; nil when it stalls.
    private mutating func ask(
        _ type: UInt8, _ request: UInt8, _ value: UInt16 = 0, _ index: UInt16 = 0, length: UInt16 = 255
    ) -> [UInt8]? {
        let transfer = USBIPTransfer(
            sequence: 1, endpoint: type & 0x80, length: Int(length),
            request: type & 0x80 == 0
                ? .output(type: type, request: request, value: value, index: index, data: [])
                : .input(type: type, request: request, value: value, index: index, length: length))
        guard case .ended(1, let status, let count, let data) = transfers.submit(transfer) else { return nil }
        guard status == .success else {
            #expect(status == .stalled && data.isEmpty && count == 0)
            return nil
        }
        #expect(count == data.count)
        return data
    }

    @Test mutating func `IN transfers wait for data and end in order`() {
        #expect(transfers.submit(read(1)) == nil)
        #expect(transfers.submit(read(2)) == nil)
        #expect(transfers.advance().replies == [])
        #expect(transfers.endpoints == [0x81])
        device.give(.data([1]))
        device.give(.data([]))
        #expect(
            transfers.advance().replies == [
                .ended(sequence: 1, .success, length: 1, data: [1]), .ended(sequence: 2, .success, length: 0, data: []),
            ])
        #expect(transfers.endpoints == [])
    }

    @Test func `a reader that was just unplugged tells its client nothing more`() {
        let reader = SimulatedCCIDReader(model: .tpdu, clock: SimulationClock())
        reader.insert(ScriptedCard(ScriptedCard.t1))
        reader.plugged {}
        let port = SimulatedUSBPort(reader, bus: 1, address: 5, number: 1)
        var transfers = USBIPTransfers(port: port)
        let (notices, answers) = (SimulatedReaderModel.interruptEndpoint, SimulatedReaderModel.bulkInEndpoint)
        _ = transfers.submit(read(1, 8, endpoint: notices))
        let notice: [UInt8] = [0x50, 0x03]
        #expect(transfers.advance().replies == [.ended(sequence: 1, .success, length: 2, data: notice)])
        _ = transfers.submit(read(2, 8, endpoint: notices))
        _ = transfers.submit(read(3, endpoint: answers))
        port.disconnect()
        reader.unplugged()
        // The client sends its next block before it hears that the reader is gone. A notice of the card that is still
        // in the reader would mean to it that the card was out.
        let block = RawHost.message(0x6F, [0, 0, 0], [0x00, 0xC1, 0x01, 0x20, 0xE0])
        _ = transfers.submit(write(4, block, endpoint: SimulatedReaderModel.bulkOutEndpoint))
        #expect(transfers.advance().replies == [])
        #expect(!port.hasInput(endpoint: notices) && !port.hasInput(endpoint: answers))
        reader.plugged {}
        #expect(reader.read(endpoint: notices, maximumLength: 8) == .data(notice))
    }

    @Test mutating func `the time of the next response is reported`() {
        let (soon, late) = (Timestamp(milliseconds: 5), Timestamp(milliseconds: 9))
        _ = transfers.submit(read(1))
        device.give(.notYet(late))
        #expect(transfers.advance().moment == late)
        device.inputs.withLock { $0 = [0x81: [.notYet(soon)]] }
        #expect(transfers.advance().moment == soon)
    }

    @Test mutating func `a short transfer is an error only where it may not be short`() {
        for (sequence, full, length, status) in [
            (1, false, 64, .success), (2, true, 64, .short), (3, true, 3, .success),
        ] as [(UInt32, Bool, Int, USBIPReply.Status)] {
            device.give(.data([1, 2, 3]))
            _ = transfers.submit(read(sequence, length, full: full))
            #expect(
                transfers.advance().replies == [.ended(sequence: sequence, status, length: 3, data: [1, 2, 3])])
        }
    }

    @Test mutating func `data beyond the host's buffer is an overflow`() {
        device.give(.overflow)
        _ = transfers.submit(read(1, 8))
        #expect(transfers.advance().replies == [.ended(sequence: 1, .overflow, length: 0, data: [])])
    }

    @Test mutating func `OUT transfers end at once, including empty ones`() {
        #expect(
            transfers.submit(write(1, [1, 2])) == .ended(sequence: 1, .success, length: 2, data: []))
        #expect(transfers.submit(write(2, [])) == .ended(sequence: 2, .success, length: 0, data: []))
        #expect(device.written.withLock { $0 } == [[1, 2], []])
    }

    @Test mutating func `a stall halts its endpoint until it is cleared`() {
        #expect(transfers.submit(write(1, [0xEE])) == .ended(sequence: 1, .stalled, length: 0, data: []))
        #expect(transfers.submit(write(2, [1])) == .ended(sequence: 2, .stalled, length: 0, data: []))
        #expect(ask(0x82, 0x00, 0, 0x02, length: 2) == [1, 0])
        #expect(ask(0x02, 0x01, 0, 0x02, length: 0) == [])
        #expect(ask(0x82, 0x00, 0, 0x02, length: 2) == [0, 0])
        #expect(transfers.submit(write(3, [1])) == .ended(sequence: 3, .success, length: 1, data: []))

        device.give(.stall)
        _ = transfers.submit(read(4))
        _ = transfers.submit(read(5))
        #expect(
            transfers.advance().replies == [4, 5].map { .ended(sequence: $0, .stalled, length: 0, data: []) })
    }

    @Test mutating func `a missing endpoint, or one with the other direction, stalls`() {
        for endpoint in [0x01, 0x0F] as [UInt8] {
            #expect(
                transfers.submit(write(1, [1], endpoint: endpoint))
                    == .ended(sequence: 1, .stalled, length: 0, data: []))
        }
        _ = transfers.submit(read(2, endpoint: 0x82))
        _ = transfers.submit(read(3, endpoint: 0x83))
        #expect(
            transfers.advance().replies == [2, 3].map { .ended(sequence: $0, .stalled, length: 0, data: []) })
        #expect(device.written.withLock { $0 } == [])
    }

    @Test mutating func `a waiting transfer can be canceled, an ended one cannot`() {
        _ = transfers.submit(read(1))
        _ = transfers.submit(read(2))
        #expect(transfers.unlink(sequence: 3, victim: 1) == .unlinked(sequence: 3, .unlinked))
        #expect(transfers.unlink(sequence: 4, victim: 1) == .unlinked(sequence: 4, .success))
        #expect(transfers.unlink(sequence: 5, victim: 99) == .unlinked(sequence: 5, .success))
        device.give(.data([7]))
        #expect(transfers.advance().replies == [.ended(sequence: 2, .success, length: 1, data: [7])])
    }

    @Test mutating func `descriptors are truncated to the requested length`() throws {
        let configuration = device.descriptors.configurationBytes
        #expect(ask(0x80, 6, 0x0100)?.count == 18)
        #expect(ask(0x80, 6, 0x0100, length: 8)?.count == 8)
        #expect(ask(0x80, 6, 0x0200) == configuration)
        #expect(ask(0x80, 6, 0x0200, length: 9) == Array(configuration.prefix(9)))
        #expect(ask(0x80, 6, 0x0300) == [4, 3, 9, 4])
        #expect(ask(0x80, 6, 0x0302, 0x0409) == [12, 3] + Array("Thing".utf8).flatMap { [$0, 0] })
        for value in [0x0201, 0x0303, 0x0600, 0x0F00] as [UInt16] { #expect(ask(0x80, 6, value) == nil) }
        // A report descriptor is the device's own.
        #expect(ask(0x81, 6, 0x2200) == [0x05, 0x01])
        #expect(ask(0x81, 6, 0x2100) == nil)
    }

    @Test func `a high speed device reports its speed`() {
        var fast = Self(Device(speed: .high))
        #expect(fast.ask(0x80, 6, 0x0100)?.prefix(4) == [18, 1, 0, 2])
        #expect(fast.ask(0x80, 6, 0x0600) == [10, 6, 0, 2, 0, 0, 0, 64, 1, 0])
    }

    @Test mutating func `status, configuration, and interface requests are answered`() {
        #expect(ask(0x80, 0, length: 2) == [0, 0])
        #expect(ask(0x81, 0, length: 2) == [0, 0])
        #expect(ask(0x81, 0, 0, 7, length: 2) == nil)
        #expect(ask(0x82, 0, 0, 0, length: 2) == [0, 0])
        #expect(ask(0x82, 0, 0, 0x8F, length: 2) == nil)
        #expect(ask(0x00, 5, 9, length: 0) == [])
        #expect(ask(0x80, 8, length: 1) == [3])
        #expect(ask(0x81, 10, length: 1) == [0])
        // The other setting has other endpoints.
        #expect(ask(0x01, 11, 1, length: 0) == [])
        #expect(ask(0x81, 10, length: 1) == [1])
        #expect(transfers.submit(write(2, [1])) == .ended(sequence: 2, .stalled, length: 0, data: []))
        #expect(
            transfers.submit(write(3, [1], endpoint: 0x04)) == .ended(sequence: 3, .success, length: 1, data: []))
        #expect(ask(0x01, 11, 2, length: 0) == nil)
        #expect(ask(0x01, 11, 0, 1, length: 0) == nil)
        // Without a configuration no endpoint works; with one everything begins anew.
        #expect(ask(0x00, 9, 0, length: 0) == [])
        #expect(ask(0x80, 8, length: 1) == [0])
        #expect(
            transfers.submit(write(4, [1], endpoint: 0x04)) == .ended(sequence: 4, .stalled, length: 0, data: []))
        #expect(ask(0x00, 9, 1, length: 0) == nil)
        #expect(ask(0x00, 9, 3, length: 0) == [])
        #expect(ask(0x81, 10, length: 1) == [0])
        #expect(device.resets.withLock { $0 } == 2)
        #expect(transfers.submit(write(5, [1])) == .ended(sequence: 5, .success, length: 1, data: []))
    }

    @Test mutating func `only the halt feature of endpoints has an effect`() {
        #expect(ask(0x02, 3, 0, 0x81, length: 0) == [])
        _ = transfers.submit(read(2))
        #expect(transfers.advance().replies == [.ended(sequence: 2, .stalled, length: 0, data: [])])
        #expect(ask(0x02, 1, 0, 0x81, length: 0) == [])
        #expect(ask(0x02, 3, 0, 0x8F, length: 0) == nil)
        #expect(ask(0x02, 1, 0, 0x8F, length: 0) == nil)
        // Remote wakeup
        #expect(ask(0x00, 3, 1, length: 0) == nil)
        #expect(ask(0x00, 1, 1, length: 0) == nil)
    }

    @Test mutating func `class requests go to the device, with data in either direction`() {
        #expect(ask(0xA1, 1, length: 3) == [1, 2, 3])
        #expect(ask(0xC0, 1) == nil)
        let setting = USBIPTransfer(
            sequence: 2, endpoint: 0, length: 1, data: [7],
            request: .output(type: 0x21, request: 9, value: 0, index: 0, data: [7]))
        #expect(transfers.submit(setting) == .ended(sequence: 2, .success, length: 1, data: []))
    }
}
