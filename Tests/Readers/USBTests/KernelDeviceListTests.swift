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

    @Test func `interfaces and partially removed entries are not devices`() throws {
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

    // MARK: Status

    @Test func `a device's power and whether it may be used come from sysfs`() throws {
        let fixture = try SysfsFixture()
        try fixture.plug("1-1.4", address: 4)
        let kernel = KernelDeviceList(directory: fixture.directory)
        let reader = try #require(try kernel.devices().first?.device)
        #expect(reader.port == "1-1.4")
        #expect(kernel.status(of: reader) == USBDeviceStatus(isPresent: true))
        for (attribute, value) in [
            ("control", "auto"), ("runtime_status", "suspended"), ("autosuspend_delay_ms", "2000"),
            ("wakeup", "enabled"), ("persist", "0"),
        ] {
            try fixture.write("\(value)\n", to: attribute, of: "1-1.4/power")
        }
        try fixture.write("0\n", to: "authorized", of: "1-1.4")
        try fixture.write("3\n", to: "over_current_count", of: "1-1/1-1:1.0/1-1-port4")
        #expect(
            kernel.status(of: reader)
                == USBDeviceStatus(
                    isPresent: true, isAuthorized: false, overcurrents: 3,
                    power: USBPower(
                        control: .automatic, state: .suspended, autosuspendDelay: .seconds(2), wakesHost: true,
                        persists: false)))
    }

    @Test func `a removed or replaced device is not present`() throws {
        let fixture = try SysfsFixture()
        try fixture.plug("1-1", address: 4)
        try fixture.write("1\n", to: "over_current_count", of: "usb1/1-0:1.0/usb1-port1")
        let kernel = KernelDeviceList(directory: fixture.directory)
        let reader = try #require(try kernel.devices().first?.device)
        try fixture.write("5\n", to: "devnum", of: "1-1")
        #expect(kernel.status(of: reader) == USBDeviceStatus(isPresent: false, overcurrents: 1))
        try fixture.unplug("1-1")
        #expect(kernel.status(of: reader) == USBDeviceStatus(isPresent: false, overcurrents: 1))
        var unplaced = reader
        unplaced.port = nil
        #expect(kernel.status(of: unplaced) == USBDeviceStatus(isPresent: false))
    }

    @Test(
        arguments: [
            ("1-4", "usb1/1-0:1.0/usb1-port4"), ("1-4.2", "1-4/1-4:1.0/1-4-port2"),
            ("2-1.3.4", "2-1.3/2-1.3:1.0/2-1.3-port4"), ("usb1", nil), ("", nil), ("-", nil), ("1-", nil),
        ] as [(String, String?)])
    func `a port has its directory below the hub's`(port: String, directory: String?) {
        #expect(KernelDeviceList.portDirectory(port) == directory)
    }

    // MARK: The kernel's HID driver

    /// An interface of class 03 with one endpoint.
    private static let keyboard: [UInt8] =
        [9, 4, 0, 0, 1, 3, 1, 1, 0] + [9, 0x21, 0x11, 1, 0, 1, 0x22, 3, 0] + [7, 5, 0x81, 3, 8, 0, 10]

    @Test func `the kernel HID driver's data of an interface is listed with it`() throws {
        let fixture = try SysfsFixture()
        try fixture.plug(
            "1-1", address: 4, descriptors: DescriptorSamples.device + DescriptorSamples.configuration(1, Self.keyboard)
        )
        let kernel = KernelDeviceList(directory: fixture.directory)
        let before = try #require(try kernel.devices().first?.device)
        #expect(before.configuration?.interfaces.first?.kernelHID == nil)
        #expect(!before.hasSettledHID)
        try fixture.write([5, 1, 0xC0], to: "report_descriptor", of: "1-1:1.0/0003:1209:0001.0007")
        try fixture.write("", to: "uevent", of: "1-1:1.0/0003:1209:0001.0007/hidraw/hidraw4")
        let after = try #require(try kernel.devices().first?.device)
        #expect(
            after.configuration?.interfaces.first?.kernelHID
                == KernelHID(reportDescriptor: [5, 1, 0xC0], node: "hidraw4"))
        #expect(after.hasSettledHID)
    }

    @Test func `an interface of another class waits for no HID driver`() throws {
        let fixture = try SysfsFixture()
        try fixture.plug("1-1", address: 4)
        let device = try #require(try KernelDeviceList(directory: fixture.directory).devices().first?.device)
        #expect(device.hasSettledHID)
    }
}
