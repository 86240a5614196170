import Simulator
import Testing
import USB

struct SimulatedUSBCompositeTests {
    /// A device that gives back what it is given, and remembers its last request.
    private final class Echo: SimulatedUSBDevice {
        let descriptors: SimulatedUSBDescriptors
        private nonisolated(unsafe) var stored: [UInt8] = []
        nonisolated(unsafe) var lastRequest: USBControlRequest?
        nonisolated(unsafe) var isPlugged = false

        init(product: String, interfaces: UInt8 = 1) {
            let parts = (0..<interfaces).map { number in
                USBInterface(
                    number: number, classCode: 0xFF,
                    endpoints: [
                        USBEndpoint(address: 0x81 + number, kind: .bulk, maximumPacketSize: 64),
                        USBEndpoint(address: 0x01 + number, kind: .bulk, maximumPacketSize: 64),
                    ])
            }
            descriptors = SimulatedUSBDescriptors(
                device: USBDeviceDescriptor(vendorID: 1, productID: 2, release: 3),
                configuration: USBConfiguration(value: 1, interfaces: parts), product: product)
        }

        func plugged(unplug: @escaping @Sendable () -> Void) { isPlugged = true }
        func unplugged() { isPlugged = false }
        func reset() { stored = [] }
        func write(_ bytes: [UInt8], endpoint: UInt8) -> Bool {
            stored = [endpoint] + bytes
            return true
        }
        func read(endpoint: UInt8, maximumLength: Int) -> SimulatedUSBInput {
            stored.isEmpty ? .notYet(nil) : .data(stored + [endpoint])
        }
        func hasInput(endpoint: UInt8) -> Bool { !stored.isEmpty }
        func control(_ request: USBControlRequest) -> [UInt8]? {
            lastRequest = request
            return [UInt8(request.index & 0xFF)]
        }
    }

    private let first = Echo(product: "first", interfaces: 2)
    private let second = Echo(product: "second")

    @Test func `interfaces and endpoints are numbered consecutively, and the first device provides the names`() throws {
        let device = SimulatedUSBComposite(first, [second])
        let interfaces = device.descriptors.configuration.interfaces
        #expect(interfaces.map(\.number) == [0, 1, 2])
        #expect(interfaces.map { $0.endpoints.map(\.address) } == [[0x81, 0x01], [0x82, 0x02], [0x83, 0x03]])
        #expect(device.descriptors.product == "first")
        let parsed = try USBConfiguration(parsing: device.descriptors.configurationBytes)
        #expect(parsed == device.descriptors.configuration)
    }

    @Test func `bytes go to the owner of the endpoint, with its original address`() {
        let device = SimulatedUSBComposite(first, [second])
        #expect(device.write([7], endpoint: 0x03))
        #expect(!device.hasInput(endpoint: 0x81) && device.hasInput(endpoint: 0x83))
        #expect(device.read(endpoint: 0x83, maximumLength: 64) == .data([0x01, 7, 0x81]))
        #expect(device.read(endpoint: 0x82, maximumLength: 64) == .notYet(nil))
        #expect(device.write([8], endpoint: 0x02))
        #expect(device.read(endpoint: 0x82, maximumLength: 64) == .data([0x02, 8, 0x82]))
        #expect(!device.write([], endpoint: 0x04) && !device.hasInput(endpoint: 0x84))
        #expect(device.read(endpoint: 0x84, maximumLength: 64) == .stall)
        device.reset()
        #expect(!device.hasInput(endpoint: 0x83))
    }

    @Test func `a request goes to the owner of its interface or endpoint`() {
        let device = SimulatedUSBComposite(first, [second])
        func ask(_ type: UInt8, _ index: UInt16) -> [UInt8]? {
            device.control(.input(type: type, request: 1, value: 0, index: index, length: 1))
        }
        #expect(ask(0xA1, 0x1202) == [0])
        #expect(second.lastRequest?.index == 0x1200)
        #expect(ask(0xA1, 1) == [1])
        #expect(first.lastRequest?.index == 1)
        #expect(ask(0xA2, 0x83) == [0x81])
        #expect(ask(0xC0, 9) == [9])
        #expect(ask(0xA1, 3) == nil)
        #expect(ask(0xA2, 0x84) == nil)
    }

    @Test func `devices beyond the limit are omitted, and plugging reaches all`() {
        let device = SimulatedUSBComposite(Echo(product: "wide", interfaces: 14), [first, second])
        #expect(device.descriptors.configuration.interfaces.count == 15)
        #expect(!device.write([1], endpoint: 0x00))
        #expect(device.write([1], endpoint: 0x0F))
        device.plugged {}
        #expect(second.isPlugged && !first.isPlugged)
        device.unplugged()
        #expect(!second.isPlugged)
    }
}
