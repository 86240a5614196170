import Doctor
import Testing

@Suite struct OwnerCheckTests {
    private let system: FakeSystem
    private let node = "/dev/bus/usb/001/004"

    init() throws { system = try FakeSystem() }

    private func findings() async -> [Finding] { await OwnerCheck(root: system.root).findings() }

    @Test func `a reader without an owner is free`() async throws {
        try system.plug("1-1")
        #expect(await findings() == [.ok(about: "08e6:3437@1-1 USB SmartCard Reader", "is free")])
    }

    @Test(arguments: [
        ("pcscd", "sudo systemctl stop pcscd.socket pcscd.service"), ("scdaemon", "gpgconf --kill scdaemon"),
        ("till", "kill 812"),
    ])
    func `a program that holds a reader is reported with its process ID and the fix`(
        name: String, fix: String
    ) async throws {
        try system.plug("1-1", drivers: [0: "usbfs"])
        try system.start(name, pid: 812, open: [node])
        let told = await findings()
        #expect(told.verdicts == [.problem])
        #expect(told.first?.seen == "is in use by \(name) (process 812)")
        #expect(told.fixes == [fix])
        // No other program is ended.
        #expect(told.first?.repair == nil)
    }

    @Test func `a program visible only to root is suspected`() async throws {
        try system.plug("1-1", drivers: [0: "usbfs"])
        try system.start("scdaemon", pid: 900, open: nil)
        #expect(await findings().map(\.seen) == ["is in use by probably scdaemon (process 900)"])
    }

    @Test func `another command of this program is no problem`() async throws {
        try system.plug("1-1", drivers: [0: "usbfs"])
        try system.start("cardpresent", pid: 812, open: [node])
        #expect(await findings().verdicts == [.warning])
    }

    @Test func `the kernel's NFC driver is reported without a repair`() async throws {
        try system.plug("1-1", drivers: [0: "pn533_usb"])
        let told = await findings()
        #expect(told.verdicts == [.warning])
        #expect(told.first?.seen == "is in use by the kernel driver pn533_usb (interface 1-1:1.0)")
        #expect(told.first?.cause?.contains("blacklist pn533_usb") == true)
        #expect(told.fixes == ["echo 1-1:1.0 | sudo tee /sys/bus/usb/drivers/pn533_usb/unbind"])
        #expect(told.first?.repair == nil)
    }

    @Test func `drivers of other interfaces and keyboards are no problem`() async throws {
        let model = USBModel(vendor: 1, product: 2, name: "Keyboard", classes: [3, 0x0B])
        try system.plug("1-1", model, drivers: [0: "usbhid"])
        #expect(await findings().verdicts == [.ok])
    }

    @Test func `a USB printer held by usblp is reported, with or without a reader`() async throws {
        let printer = USBModel(vendor: 0x04B8, product: 0x0202, name: "TM-T88V", classes: [7])
        try system.plug("1-2", printer, address: 9, drivers: [0: "usblp"])
        let told = await findings()
        #expect(told.verdicts == [.warning])
        #expect(told.first?.subject == "1-2 TM-T88V")
        #expect(told.fixes == ["echo 1-2:1.0 | sudo tee /sys/bus/usb/drivers/usblp/unbind"])
        try system.plug("1-1")
        #expect(await findings().verdicts == [.ok, .warning])
    }
}

@Suite struct PowerCheckTests {
    private let system: FakeSystem

    init() throws { system = try FakeSystem() }

    private func findings() async -> [Finding] { await PowerCheck(root: system.root).findings() }

    @Test func `a reader that wakes up may be suspended`() async throws {
        try system.plug("1-1", power: ["control": "auto", "runtime_status": "suspended"])
        #expect(
            await findings() == [.ok(about: "08e6:3437@1-1 USB SmartCard Reader", "power/control is auto")])
    }

    @Test(arguments: [(0x0783, 0x0003), (0x058F, 0x9520)] as [(UInt16, UInt16)])
    func `a reader that does not wake up is kept awake`(vendor: UInt16, product: UInt16) async throws {
        let model = USBModel(vendor: vendor, product: product, name: "Sleeper", classes: [0x0B])
        try system.plug("1-1", model, power: ["control": "auto"])
        let told = await findings()
        #expect(told.verdicts == [.problem])
        #expect(told.fixes == ["echo on | sudo tee /sys/bus/usb/devices/1-1/power/control"])
        let reports = [CheckReport(name: .power, findings: told)]
        let runner = RecordingRunner()
        let results = await Repairer(files: system.files, runner: runner, isRoot: true).repair(reports)
        #expect(results.map(\.outcome) == [.done])
        #expect(runner.commands.isEmpty)
        #expect(system.text("/sys/bus/usb/devices/1-1/power/control") == "on\n")
        #expect(await findings().verdicts == [.ok])
    }

    @Test func `a reader that the kernel could not wake up is reported`() async throws {
        try system.plug("1-1", power: ["control": "auto", "runtime_status": "error"])
        let told = await findings()
        #expect(told.verdicts == [.problem])
        #expect(told.first?.trouble == .reader)
        #expect(told.first?.repair != nil)
    }
}
