import Doctor
import Testing

@Suite struct USBCheckTests {
    @Test func `a kernel without USB is told as such, and no reader is looked for`() async throws {
        let system = try FakeSystem(withUSB: false)
        let usb = await USBCheck(root: system.root).findings()
        #expect(usb.verdicts == [.problem])
        #expect(usb.first?.seen == "no USB in this kernel: /sys/bus/usb is not there")
        #expect(usb.first?.trouble == .reader)
        #expect(await ReaderCheck(root: system.root).findings() == [.skipped("no USB in this kernel")])
        #expect(await PermissionCheck(root: system.root, user: system.alice()).findings().verdicts == [.skipped])
        #expect(await OwnerCheck(root: system.root).findings().verdicts == [.skipped])
        #expect(await PowerCheck(root: system.root).findings().verdicts == [.skipped])
    }

    @Test func `a container without device nodes is told what it needs`() async throws {
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
