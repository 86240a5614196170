import HID
import Testing
import USB

@Suite struct HIDInterfaceTests {
    private func device(_ interfaces: [USBInterface]) -> USBDevice {
        USBDevice(
            bus: 1, address: 2, descriptor: USBDeviceDescriptor(vendorID: 0x1209, productID: 1, release: 0x100),
            configuration: USBConfiguration(value: 1, interfaces: interfaces))
    }

    private let input = USBEndpoint(address: 0x81, kind: .interrupt, maximumPacketSize: 8, interval: 8)
    private let descriptor: [UInt8] = [0x09, 0x21, 0x11, 0x01, 0x00, 0x01, 0x22, 0x3F, 0x01]

    @Test func `an interface has an input endpoint and a report descriptor`() throws {
        let found = HIDInterface.all(
            in: device([
                USBInterface(
                    number: 1, classCode: 3, subclassCode: 1, protocolCode: 1, endpoints: [input],
                    classDescriptors: [descriptor], kernelHID: KernelHID(reportDescriptor: [1], node: "hidraw3"))
            ]))
        let interface = try #require(found.first)
        #expect(interface.number == 1)
        #expect(interface.reportDescriptorLength == 0x013F)
        #expect(interface.isBootKeyboard)
        #expect(interface.kernel?.node == "hidraw3")
        #expect(interface.input == input)
    }

    @Test func `what cannot be read from is none`() {
        let output = USBEndpoint(address: 0x01, kind: .interrupt, maximumPacketSize: 8)
        let candidates = [
            USBInterface(number: 0, classCode: 0x0B, endpoints: [input], classDescriptors: [descriptor]),
            USBInterface(number: 0, classCode: 3, endpoints: [output], classDescriptors: [descriptor]),
            USBInterface(number: 0, classCode: 3, endpoints: [], classDescriptors: [descriptor]),
            USBInterface(number: 0, classCode: 3, endpoints: [input]),
            USBInterface(number: 0, classCode: 3, endpoints: [input], classDescriptors: [Array(descriptor.prefix(8))]),
            USBInterface(
                number: 0, classCode: 3, endpoints: [input], classDescriptors: [[0x09, 0x21, 0, 1, 0, 1, 0x23, 1, 0]]),
            USBInterface(
                number: 0, alternateSetting: 1, classCode: 3, endpoints: [input], classDescriptors: [descriptor]),
        ]
        #expect(HIDInterface.all(in: device(candidates)).isEmpty)
    }
}
