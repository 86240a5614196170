import CCID
import Doctor
import Testing

@Suite struct PermissionCheckTests {
    private let system: FakeSystem
    private let node = "/dev/bus/usb/001/004"

    init() throws {
        system = try FakeSystem()
        try system.plug("1-1")
    }

    /// The finding after a refusal by the kernel.
    private func refused(as user: LoginUser) async -> [Finding] {
        await PermissionCheck(root: system.root, user: user) { _ in false }.findings()
    }

    @Test func `a reader that can be opened passes, and without a reader nothing is checked`() async throws {
        let check = PermissionCheck(root: system.root, user: system.alice())
        #expect(
            await check.findings() == [.ok(about: "08e6:3437@1-1 USB SmartCard Reader", "\(node) can be opened")])
        try system.remove("/sys/bus/usb/devices/1-1")
        #expect(await check.findings() == [.skipped("no card reader is connected")])
    }

    @Test func `without a device node the container is the cause`() async throws {
        try system.remove(node)
        let told = await PermissionCheck(root: system.root, user: system.alice()).findings()
        #expect(told.verdicts == [.problem])
        #expect(told.first?.seen == "\(node) does not exist")
        #expect(told.fixes == ["start the container with --device /dev/bus/usb"])
    }

    @Test func `without rules the fix installs them`() async throws {
        let told = await refused(as: system.alice())
        #expect(told.verdicts == [.problem])
        #expect(told.first?.trouble == .reader)
        #expect(told.first?.seen == "alice may not open \(node)")
        #expect(told.first?.cause?.hasSuffix("mode 0660: no udev rules give users access to readers") == true)
        #expect(told.first?.repair?.steps.first == .install(InstalledFile.rules))
    }

    @Test func `without the group the fix creates it`() async throws {
        try system.installRules()
        let told = await refused(as: system.alice())
        #expect(told.first?.cause?.hasSuffix("the group cardpresent does not exist") == true)
        #expect(told.first?.repair?.steps.first == .install(InstalledFile.group))
    }

    @Test func `without udevd the fix is to set the node's group manually`() async throws {
        try system.installRules()
        try system.makeGroup(998)
        let told = await refused(as: system.alice())
        #expect(told.fixes == ["sudo chgrp cardpresent \(node) && sudo chmod 660 \(node)"])
        #expect(told.first?.repair == nil)
    }

    @Test func `a reader older than the rules needs a udev trigger`() async throws {
        try system.installRules()
        try system.makeGroup(system.nodeGroup &+ 1)
        try system.makeGroup(system.nodeGroup, named: "root")
        try system.startUdev()
        let told = await refused(as: system.alice())
        #expect(told.first?.cause?.contains("the group root, mode 0660: the rules have not been applied") == true)
        #expect(told.fixes == ["sudo udevadm control --reload && sudo udevadm trigger"])
        #expect(told.first?.repair?.steps.count == 2)
    }

    @Test func `a reader with another group because of another rule is reported with that group`() async throws {
        try system.installRules()
        try system.makeGroup(system.nodeGroup &+ 1)
        try system.makeGroup(system.nodeGroup, named: "pcscd")
        try system.startUdev()
        let told = await refused(as: system.alice())
        #expect(told.first?.cause?.hasPrefix("it belongs to the group pcscd") == true)
        #expect(told.fixes == ["sudo usermod -aG pcscd alice, then log in again"])
    }

    @Test func `a user outside the group and one with an old login are distinguished`() async throws {
        try system.installRules()
        try system.makeGroup(system.nodeGroup)
        try system.startUdev()
        #expect(
            await refused(as: system.alice([1000])).fixes
                == ["sudo usermod -aG cardpresent alice, then log in again"])
        try system.makeGroup(system.nodeGroup, members: "alice")
        #expect(
            await refused(as: system.alice([4_000_000])).fixes == ["newgrp cardpresent, or log in again"])
        #expect(
            await refused(as: system.alice([system.nodeGroup])).first?.cause?
                .hasSuffix("its mode was changed") == true)
    }

    @Test func `a reader without a rule gets its own`() async throws {
        let system = try FakeSystem()
        try system.installRules()
        try system.startUdev()
        try system.makeGroup(system.nodeGroup &+ 7000)
        var odd = USBModel(vendor: 0x1209, product: 0x0010, name: "Odd", classes: [0xFF])
        odd.ccid = USBModel.ccidDescriptor
        try system.plug("1-1", odd, mode: 0o600)
        let row = ReaderQuirkRule(
            "Odd", vendorID: 0x1209, productID: 0x0010, [.vendorSpecificClass], source: "seen at the till")
        let table = ReaderQuirkTable(rules: [row], allowsRefusedFirmware: false)
        func told(_ quirks: ReaderQuirkTable) async -> [Finding] {
            await PermissionCheck(root: system.root, quirks: quirks, user: system.alice(), isAccessible: { _ in false })
                .findings()
        }
        let first = try #require(await told(table).first)
        #expect(first.cause?.contains("no rule matches this device") == true)
        let command = try #require(first.fix)
        #expect(command.contains(#"ATTR{idVendor}==\"1209\", ATTR{idProduct}==\"0010\", GROUP=\"cardpresent\""#))
    }
}
