import CCID
import Doctor
import Hardware
import Testing

@Suite struct USBCheckTests {
    @Test func `a kernel without USB is reported, and no reader is searched for`() async throws {
        let system = try FakeSystem(withUSB: false)
        let usb = await USBCheck(root: system.root).findings()
        #expect(usb.verdicts == [.problem])
        #expect(usb.first?.seen == "the kernel has no USB support: /sys/bus/usb does not exist")
        #expect(usb.first?.trouble == .reader)
        #expect(await ReaderCheck(root: system.root).findings() == [.skipped("the kernel has no USB support")])
        #expect(await PermissionCheck(root: system.root, user: system.alice()).findings().verdicts == [.skipped])
        #expect(await OwnerCheck(root: system.root).findings().verdicts == [.skipped])
        #expect(await PowerCheck(root: system.root).findings().verdicts == [.skipped])
    }

    @Test func `a container without device nodes gets the required options`() async throws {
        let system = try FakeSystem()
        try system.remove("/dev/bus")
        let usb = await USBCheck(root: system.root).findings()
        #expect(usb.verdicts == [.problem])
        #expect(usb.first?.fix?.contains("--device /dev/bus/usb") == true)
    }

    @Test func `devices are counted`() async throws {
        let system = try FakeSystem()
        #expect(await USBCheck(root: system.root).findings().map(\.seen) == ["0 devices"])
        try system.plug("1-1")
        #expect(await USBCheck(root: system.root).findings() == [.ok("1 device")])
    }
}

@Suite struct ReaderCheckTests {
    @Test func `readers are listed by name`() async throws {
        let system = try FakeSystem()
        try system.plug("1-1")
        try system.plug("1-2", USBModel(vendor: 1, product: 2, name: "Keyboard", classes: [3, 0x0B]), address: 5)
        let findings = await ReaderCheck(root: system.root).findings()
        #expect(findings.verdicts == [.ok, .ok])
        #expect(findings.map(\.subject) == ["08e6:3437@1-1 USB SmartCard Reader", "0001:0002@1-2 Keyboard"])
    }

    @Test func `without a reader the number of other devices is reported`() async throws {
        let system = try FakeSystem()
        try system.plug("1-1", USBModel(vendor: 1, product: 2, name: "Keyboard", classes: [3]))
        let findings = await ReaderCheck(root: system.root).findings()
        #expect(findings.verdicts == [.problem])
        #expect(findings.first?.seen == "no card reader among 1 USB device")
        #expect(findings.first?.trouble == .reader)
    }

    @Test func `a reader with an invalid descriptor is reported with the error`() async throws {
        let system = try FakeSystem()
        try system.plug("1-1", USBModel(vendor: 1, product: 2, name: "Odd", classes: [0x0B], ccid: [4, 0x21, 0, 1]))
        let findings = await ReaderCheck(root: system.root).findings()
        #expect(findings.verdicts == [.warning, .problem])
        #expect(findings.first?.subject == "1-1 Odd")
        #expect(
            findings.first?.seen.hasPrefix("identifies itself as a card reader, but its descriptor is invalid: ")
                == true)
    }

    @Test func `an unreadable device counts as a reader only if it claims to be one`() async throws {
        for (classCode, isTold) in [(0x0E, false), (0x0B, true)] as [(UInt8, Bool)] {
            let system = try FakeSystem()
            let model = USBModel(vendor: 1, product: 2, name: "Camera", classes: [classCode])
            try system.plug("1-1", model)
            // A descriptor without a length.
            var bytes = model.descriptors
            bytes += [0, 0x24]
            bytes[20] &+= 2
            try system.write(bytes, to: "/sys/bus/usb/devices/1-1/descriptors")
            let findings = await ReaderCheck(root: system.root).findings()
            #expect(findings.contains { $0.seen.hasPrefix("identifies itself as a card reader") } == isTold)
        }
    }

    @Test func `a reader that waits for firmware is reported if there is a file for it`() async throws {
        let system = try FakeSystem()
        var model = USBModel(vendor: 0x1209, product: 0x000E, name: "Till reader", classes: [0xFE])
        model.subclass = (1, 2)
        try system.plug("1-1", model)
        #expect(await ReaderCheck(root: system.root).findings().first?.seen.hasPrefix("no card reader") == true)
        let firmware = ReaderFirmwareCatalog([
            ReaderFirmware(
                vendorID: 0x1209, productID: 0x000D, updateVendorID: 0x1209, updateProductID: 0x000E,
                release: ReaderRelease(rawValue: 0x0234), file: "/srv/reader.dfu")
        ])
        let findings = await ReaderCheck(root: system.root, firmware: firmware).findings()
        #expect(findings.verdicts == [.problem])
        #expect(findings.first?.subject == "1209:000d@1-1 Till reader")
        #expect(findings.first?.seen == "has no working firmware")
        #expect(findings.fixes == ["sudo cardpresent readers update '1209:000d@1-1'"])
        // A working reader is not one that waits for firmware.
        model.subclass = (1, 1)
        try system.plug("1-1", model)
        #expect(
            await ReaderCheck(root: system.root, firmware: firmware).findings().first?.seen
                != "has no working firmware")
    }

    @Test func `a magnetic stripe reader is a reader, and is opened through its raw node`() async throws {
        let system = try FakeSystem()
        try system.plugStripeReader("1-3")
        #expect(await ReaderCheck(root: system.root).findings() == [.ok(about: "1234:0007@1-3 MSR", "is connected")])
        #expect(
            await PermissionCheck(root: system.root, user: system.alice()).findings()
                == [.ok(about: "1234:0007@1-3 MSR", "/dev/hidraw3 can be opened")])
        #expect(await OwnerCheck(root: system.root).findings() == [.ok(about: "1234:0007@1-3 MSR", "is free")])
    }
}
