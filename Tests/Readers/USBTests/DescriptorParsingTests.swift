import Determinism
import Testing

@testable import USB

@Suite struct USBIdentifiersTests {
    @Test func `vendor and product are four digits each`() {
        #expect(USBIdentifiers("04e6:E001") == USBIdentifiers(vendor: 0x04E6, product: 0xE001))
        #expect(USBIdentifiers(vendor: 0x04E6, product: 0xE001).description == "04e6:e001")
    }

    @Test(arguments: ["", ":", "04e6", "4e6:e001", "04e6:e001:", "04e6:e0011", "+801:0001", "0801:-001", "０801:0001"])
    func `any other text is refused`(text: String) { #expect(USBIdentifiers(text) == nil) }
}

@Suite struct DescriptorParsingTests {
    @Test func `a device descriptor gives its numbers, low byte first`() throws {
        let descriptor = try USBDeviceDescriptor(parsing: DescriptorSamples.device + [0xFF])
        #expect(descriptor == USBDeviceDescriptor(vendorID: 0x1209, productID: 0x0001, release: 0x0123))
    }

    @Test func `a reader's configuration gives interface, endpoints and CCID descriptor`() throws {
        let bytes = DescriptorSamples.configuration(
            1, DescriptorSamples.interface, DescriptorSamples.ccid, DescriptorSamples.endpoints)
        let configuration = try USBConfiguration(parsing: bytes)
        let expected = USBInterface(
            number: 0, classCode: 0x0B,
            endpoints: [
                USBEndpoint(address: 0x81, kind: .interrupt, maximumPacketSize: 8, interval: 16),
                USBEndpoint(address: 0x82, kind: .bulk, maximumPacketSize: 64),
                USBEndpoint(address: 0x03, kind: .bulk, maximumPacketSize: 64),
            ], classDescriptors: [DescriptorSamples.ccid])
        #expect(configuration == USBConfiguration(value: 1, interfaces: [expected]))
    }

    @Test func `a CCID descriptor after the endpoints belongs to the interface as well`() throws {
        let before = try USBConfiguration(
            parsing: DescriptorSamples.configuration(
                1, DescriptorSamples.interface, DescriptorSamples.ccid, DescriptorSamples.endpoints))
        let after = try USBConfiguration(
            parsing: DescriptorSamples.configuration(
                1, DescriptorSamples.interface, DescriptorSamples.endpoints, DescriptorSamples.ccid))
        #expect(before == after)
    }

    @Test func `every alternate setting has its own entry and its own endpoints`() throws {
        let second: [UInt8] = [9, 4, 0, 1, 0, 0x0B, 0, 1, 0]
        let configuration = try USBConfiguration(
            parsing: DescriptorSamples.configuration(
                2, DescriptorSamples.interface, DescriptorSamples.endpoints, second, DescriptorSamples.ccid))
        #expect(configuration.value == 2)
        #expect(configuration.interfaces.map(\.alternateSetting) == [0, 1])
        #expect(configuration.interfaces.map(\.endpoints.count) == [3, 0])
        #expect(configuration.interfaces.map(\.classDescriptors.count) == [0, 1])
        #expect(configuration.interfaces[1].protocolCode == 1)
    }

    @Test func `an interface association, and descriptors before the first interface, belong to no interface`() throws {
        let association: [UInt8] = [8, 0x0B, 0, 1, 0x0B, 0, 0, 0]
        let configuration = try USBConfiguration(
            parsing: DescriptorSamples.configuration(
                1, [3, 0x09, 0], DescriptorSamples.interface, association, DescriptorSamples.interface))
        #expect(configuration.interfaces.map(\.classDescriptors) == [[], []])
    }

    @Test func `counts are not trusted`() throws {
        var interface = DescriptorSamples.interface
        interface[4] = 200
        let configuration = try USBConfiguration(
            parsing: DescriptorSamples.configuration(1, interface, DescriptorSamples.endpoints))
        #expect(configuration.interfaces.first?.endpoints.count == 3)
    }

    @Test func `the additional transactions of a high-speed endpoint are not part of its packet size`() throws {
        let configuration = try USBConfiguration(
            parsing: DescriptorSamples.configuration(1, DescriptorSamples.interface, [7, 5, 0x81, 3, 0x00, 0x14, 4]))
        #expect(configuration.interfaces.first?.endpoints.first?.maximumPacketSize == 1024)
    }

    @Test(arguments: [
        ([UInt8](), "byte 0: 0 bytes are left, a descriptor has 2 or more"),
        ([9], "byte 0: 1 bytes are left, a descriptor has 2 or more"),
        (DescriptorSamples.device, "byte 0: type 1, expected configuration descriptor (2)"),
        ([8, 2, 8, 0, 1, 1, 0, 0x80], "byte 0: configuration descriptor of 8 bytes, needs 9"),
        ([9, 2, 8, 0, 1, 1, 0, 0x80, 50], "byte 2: configuration of 8 bytes, its head is longer"),
        ([9, 2, 10, 0, 1, 1, 0, 0x80, 50], "byte 2: configuration of 10 bytes, but 9 are there"),
        (DescriptorSamples.configuration(1, [0, 0]), "byte 9: length 0, a descriptor has 2 or more bytes"),
        (DescriptorSamples.configuration(1, [5]), "byte 9: 1 bytes are left, a descriptor has 2 or more"),
        (DescriptorSamples.configuration(1, [9, 4, 0, 0]), "byte 9: length 9, but 4 bytes are left"),
        (DescriptorSamples.configuration(1, [4, 4, 0, 0]), "byte 9: interface descriptor of 4 bytes, needs 9"),
        (
            DescriptorSamples.configuration(1, DescriptorSamples.endpoints),
            "byte 9: endpoint before the first interface"
        ),
        (
            DescriptorSamples.configuration(1, DescriptorSamples.interface, [4, 5, 0x81, 3]),
            "byte 18: endpoint descriptor of 4 bytes, needs 7"
        ),
        (DescriptorSamples.configuration(1, DescriptorSamples.device), "byte 9: type 1 inside a configuration"),
    ])
    func `an error is reported with its location`(bytes: [UInt8], place: String) {
        #expect(throws: USBError.malformedDescriptor(place)) { try USBConfiguration(parsing: bytes) }
    }

    @Test func `a device descriptor that is too short or of another type is refused`() {
        #expect(throws: USBError.malformedDescriptor("byte 0: length 18, but 17 bytes are left")) {
            try USBDeviceDescriptor(parsing: DescriptorSamples.device.dropLast())
        }
        #expect(throws: USBError.malformedDescriptor("byte 0: device descriptor of 8 bytes, needs 18")) {
            try USBDeviceDescriptor(parsing: [8, 1, 0, 2, 0, 0, 0, 64])
        }
        #expect(throws: USBError.malformedDescriptor("byte 0: type 4, expected device descriptor (1)")) {
            try USBDeviceDescriptor(parsing: DescriptorSamples.interface)
        }
    }

    @Test func `the active configuration is found among all of them`() throws {
        let bytes =
            DescriptorSamples.device + DescriptorSamples.configuration(1, DescriptorSamples.interface)
            + DescriptorSamples.configuration(3, DescriptorSamples.interface, DescriptorSamples.endpoints)
        #expect(try USBConfiguration.find(1, after: 18, in: bytes)?.interfaces.first?.endpoints.count == 0)
        #expect(try USBConfiguration.find(3, after: 18, in: bytes)?.interfaces.first?.endpoints.count == 3)
        #expect(try USBConfiguration.find(2, after: 18, in: bytes) == nil)
    }

    @Test func `a configuration that is cut short anywhere is refused`() {
        let whole = DescriptorSamples.configuration(
            1, DescriptorSamples.interface, DescriptorSamples.ccid, DescriptorSamples.endpoints)
        for length in 0..<whole.count {
            #expect(throws: USBError.self) { try USBConfiguration(parsing: Array(whole.prefix(length))) }
        }
    }

    @Test func `no bytes make the parsers trap, and nothing larger than the input comes out`() {
        let random = SeededRandomSource(seed: 0x0B)
        let whole = DescriptorSamples.configuration(
            1, DescriptorSamples.interface, DescriptorSamples.ccid, DescriptorSamples.endpoints)
        var accepted = 0
        for round in 0..<4000 {
            var bytes = round % 2 == 0 ? random.bytes(Int(random.number(in: 0...80))) : whole
            for _ in 0..<random.number(in: 0...3) where !bytes.isEmpty {
                bytes[Int(random.number(in: 0...UInt32(bytes.count - 1)))] = random.bytes(1)[0]
            }
            _ = try? USBDeviceDescriptor(parsing: bytes)
            _ = try? USBConfiguration.find(1, after: 0, in: bytes)
            guard let configuration = try? USBConfiguration(parsing: bytes) else { continue }
            accepted += 1
            let parts = configuration.interfaces.reduce(0) {
                $0 + 9 + 7 * $1.endpoints.count + $1.classDescriptors.reduce(0) { $0 + $1.count }
            }
            #expect(parts <= bytes.count)
        }
        #expect(accepted > 100)
    }
}
