import CCID
import Doctor
import Hardware
import Testing

@Suite struct ReaderCheckTests {
    @Test func `readers are named`() async throws {
        let system = try FakeSystem()
        try system.plug("1-1")
        try system.plug("1-2", USBModel(vendor: 1, product: 2, name: "Keyboard", classes: [3, 0x0B]), address: 5)
        let findings = await ReaderCheck(root: system.root).findings()
        #expect(findings.verdicts == [.ok, .ok])
        #expect(findings.map(\.subject) == ["08e6:3437@1-1 USB SmartCard Reader", "0001:0002@1-2 Keyboard"])
    }

    @Test func `a machine without a reader says how many other devices there are`() async throws {
        let system = try FakeSystem()
        try system.plug("1-1", USBModel(vendor: 1, product: 2, name: "Keyboard", classes: [3]))
        let findings = await ReaderCheck(root: system.root).findings()
        #expect(findings.verdicts == [.problem])
        #expect(findings.first?.seen == "no card reader is plugged in: 1 USB device, which is none")
        #expect(findings.first?.trouble == .reader)
    }

    @Test func `a device that claims to be a reader and has a wrong descriptor is told, with the fault`() async throws {
        let system = try FakeSystem()
        try system.plug("1-1", USBModel(vendor: 1, product: 2, name: "Odd", classes: [0x0B], ccid: [4, 0x21, 0, 1]))
        let findings = await ReaderCheck(root: system.root).findings()
        #expect(findings.verdicts == [.warning, .problem])
        #expect(findings.first?.subject == "1-1 Odd")
        #expect(findings.first?.seen.hasPrefix("claims to be a card reader, and its descriptor is wrong: ") == true)
    }

    @Test func `a device that cannot be read is no reader unless it says so`() async throws {
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
            #expect(findings.contains { $0.seen.hasPrefix("claims to be a card reader") } == isTold)
        }
    }

    @Test func `a reader that waits for firmware is told, when the shop has some for it`() async throws {
        let system = try FakeSystem()
        var model = USBModel(vendor: 0x1209, product: 0x000E, name: "Till reader", classes: [0xFE])
        model.subclass = (1, 2)
        try system.plug("1-1", model)
        #expect(await ReaderCheck(root: system.root).findings().first?.seen.hasPrefix("no card reader") == true)
        let firmware = ReaderFirmwareCatalogue([
            ReaderFirmware(
                vendorID: 0x1209, productID: 0x000D, updateVendorID: 0x1209, updateProductID: 0x000E,
                release: ReaderRelease(rawValue: 0x0234), file: "/srv/reader.dfu")
        ])
        let findings = await ReaderCheck(root: system.root, firmware: firmware).findings()
        #expect(findings.verdicts == [.problem])
        #expect(findings.first?.subject == "1209:000d@1-1 Till reader")
        #expect(findings.first?.seen == "has no firmware that runs")
        #expect(findings.fixes == ["sudo cardpresent readers update '1209:000d@1-1'"])
        // At its work it is no reader that waits, whatever it could have.
        model.subclass = (1, 1)
        try system.plug("1-1", model)
        #expect(
            await ReaderCheck(root: system.root, firmware: firmware).findings().first?.seen
                != "has no firmware that runs")
    }

    @Test func `a magnetic stripe reader is a reader, and is opened through its raw node`() async throws {
        let system = try FakeSystem()
        try system.plugStripeReader("1-3")
        #expect(await ReaderCheck(root: system.root).findings() == [.ok(about: "1234:0007@1-3 MSR", "is plugged in")])
        #expect(
            await PermissionCheck(root: system.root, user: system.alice()).findings()
                == [.ok(about: "1234:0007@1-3 MSR", "/dev/hidraw3 can be opened")])
        #expect(await OwnerCheck(root: system.root).findings() == [.ok(about: "1234:0007@1-3 MSR", "is free")])
    }
}
