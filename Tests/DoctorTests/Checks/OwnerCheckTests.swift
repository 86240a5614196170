import Doctor
import Testing

@Suite struct OwnerCheckTests {
    private let system: FakeSystem
    private let node = "/dev/bus/usb/001/004"

    init() throws { system = try FakeSystem() }

    private func findings() async -> [Finding] { await OwnerCheck(root: system.root).findings() }

    @Test func `a reader that nobody has is free`() async throws {
        try system.plug("1-1")
        #expect(await findings() == [.ok(about: "08e6:3437@1-1 USB SmartCard Reader", "is free")])
    }

    @Test(arguments: [
        ("pcscd", "sudo systemctl stop pcscd.socket pcscd.service"), ("scdaemon", "gpgconf --kill scdaemon"),
        ("till", "kill 812"),
    ])
    func `a program that holds a reader is named, with its number and what to type`(
        name: String, fix: String
    ) async throws {
        try system.plug("1-1", drivers: [0: "usbfs"])
        try system.start(name, pid: 812, open: [node])
        let told = await findings()
        #expect(told.verdicts == [.problem])
        #expect(told.first?.seen == "is held by \(name) (process 812)")
        #expect(told.fixes == [fix])
        // Nobody's program is ended for him.
        #expect(told.first?.repair == nil)
    }

    @Test func `a program that only root could see is suspected`() async throws {
        try system.plug("1-1", drivers: [0: "usbfs"])
        try system.start("scdaemon", pid: 900, open: nil)
        #expect(await findings().map(\.seen) == ["is held by probably scdaemon (process 900)"])
    }

    @Test func `another command of ours is no problem: it ends by itself`() async throws {
        try system.plug("1-1", drivers: [0: "usbfs"])
        try system.start("cardpresent", pid: 812, open: [node])
        #expect(await findings().verdicts == [.warning])
    }

    @Test func `the kernel's NFC driver is told, and left to the person`() async throws {
        try system.plug("1-1", drivers: [0: "pn533_usb"])
        let told = await findings()
        #expect(told.verdicts == [.warning])
        #expect(told.first?.seen == "is held by the kernel driver pn533_usb (interface 1-1:1.0)")
        #expect(told.first?.cause?.contains("blacklist pn533_usb") == true)
        #expect(told.fixes == ["echo 1-1:1.0 | sudo tee /sys/bus/usb/drivers/pn533_usb/unbind"])
        #expect(told.first?.repair == nil)
    }

    @Test func `the driver of another interface, and that of keyboards, are in nobody's way`() async throws {
        let model = USBModel(vendor: 1, product: 2, name: "Keyboard", classes: [3, 0x0B])
        try system.plug("1-1", model, drivers: [0: "usbhid"])
        #expect(await findings().verdicts == [.ok])
    }

    @Test func `a USB printer in the hands of usblp is told, with or without a reader`() async throws {
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
