import Testing

@testable import USB

@Suite struct KernelDeviceListTests {
    @Test func `a machine without USB has no devices, which is no error`() throws {
        #expect(try KernelDeviceList(directory: "/nowhere/bus/usb/devices").devices().isEmpty)
    }

    @Test func `devices are listed by bus and address, with configuration and strings`() throws {
        let fixture = try SysfsFixture()
        try fixture.plug("1-2", address: 9)
        try fixture.plug("1-1.4", address: 4)
        try fixture.write("ACME\n", to: "manufacturer", of: "1-2")
        try fixture.write("Réader\u{1B}[31m 5\n", to: "product", of: "1-2")
        try fixture.write([0x41, 0xFF, 0x42, 0x00, 0x0A], to: "serial", of: "1-2")
        let devices = try KernelDeviceList(directory: fixture.directory).devices().map(\.device)
        #expect(devices.map(\.address) == [4, 9])
        let reader = try #require(devices.last)
        #expect(reader.bus == 250)
        #expect(reader.descriptor.vendorID == 0x1209)
        #expect(reader.configuration?.interfaces.first?.endpoints.count == 3)
        #expect(reader.manufacturer == "ACME")
        #expect(reader.product == "Réader[31m 5")
        #expect(reader.serialNumber == "A\u{FFFD}B")
        #expect(devices.first?.manufacturer == nil)
    }

    @Test func `interfaces and what is half gone are no devices`() throws {
        let fixture = try SysfsFixture()
        try fixture.plug("1-1:1.0", address: 1)
        try fixture.plug("1-1", address: 2)
        try fixture.plug("1-2", address: 3)
        try fixture.write("", to: "descriptors", of: "1-2")
        try fixture.write("1\n", to: "busnum", of: "1-3")
        let devices = try KernelDeviceList(directory: fixture.directory).devices()
        #expect(devices.map(\.device.address) == [2])
    }

    @Test func `a device that is not configured has no configuration, and one with a broken one says why`() throws {
        let fixture = try SysfsFixture()
        try fixture.plug("1-1", address: 1)
        try fixture.write("\n", to: "bConfigurationValue", of: "1-1")
        try fixture.plug(
            "1-2", address: 2, descriptors: DescriptorSamples.device + DescriptorSamples.configuration(1, [0, 4]))
        let devices = try KernelDeviceList(directory: fixture.directory).devices()
        #expect(devices.map(\.device.configuration) == [nil, nil])
        #expect(
            devices.map(\.fault) == [nil, .malformedDescriptor("byte 9: length 0, a descriptor has 2 or more bytes")])
    }

    @Test func `a device node has three digits for bus and address`() {
        let device = USBDevice(
            bus: 1, address: 123, descriptor: USBDeviceDescriptor(vendorID: 1, productID: 1, release: 1),
            configuration: nil)
        #expect(KernelDeviceList.node(of: device) == "/dev/bus/usb/001/123")
    }
}
