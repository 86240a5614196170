import Doctor
import Testing

@Suite struct RulesCheckTests {
    private let system: FakeSystem

    init() throws { system = try FakeSystem() }

    private func findings(as user: LoginUser? = nil) async -> [Finding] {
        await RulesCheck(root: system.root, user: user ?? system.alice()).findings()
    }

    @Test func `installed rules pass`() async throws {
        try system.installRules()
        #expect(await findings() == [.ok(about: InstalledFile.rules.path, "is current")])
    }

    @Test func `rules of a package pass too`() async throws {
        try system.installRules(at: "/usr/lib/udev/rules.d/60-cardpresent.rules")
        #expect(await findings().verdicts == [.ok])
    }

    @Test func `missing rules are a problem for a user, and a warning for root`() async throws {
        let told = await findings()
        #expect(told.verdicts == [.problem])
        #expect(told.first?.trouble == .reader)
        #expect(told.fixes == ["sudo cardpresent doctor --fix"])
        #expect(await findings(as: system.rootUser).verdicts == [.warning])
        let noUSB = try FakeSystem(withUSB: false)
        try noUSB.makeFolder("/usr/lib/udev")
        #expect(await RulesCheck(root: noUSB.root, user: noUSB.alice()).findings().verdicts == [.warning])
    }

    @Test func `a system image is checked for its content`() async throws {
        let image = try FakeSystem(withUSB: false)
        try image.makeFolder("/usr/lib/udev")
        #expect(await RulesCheck(root: image.root, user: nil).findings().verdicts == [.problem])
        #expect(await GroupCheck(root: image.root, user: nil).findings().verdicts == [.problem])
        #expect(await USBCheck(root: image.root, isRunning: false).findings().verdicts == [.skipped])
        try image.installRules()
        try image.makeGroup(998)
        #expect(await RulesCheck(root: image.root, user: nil).findings().verdicts == [.ok])
        #expect(await GroupCheck(root: image.root, user: nil).findings() == [.ok(about: "cardpresent", "group 998")])
    }

    @Test func `a machine without udev needs no rules`() async throws {
        try system.remove("/usr/lib/udev")
        #expect(await findings().verdicts == [.skipped])
    }

    @Test func `different rules are reported, and replaced by the repair`() async throws {
        try system.write("# mine\n", to: InstalledFile.rules.path)
        let told = await findings()
        #expect(told.verdicts == [.warning])
        #expect(told.first?.subject == InstalledFile.rules.path)
        #expect(told.first?.repair?.steps.first == .install(InstalledFile.rules))
    }

    @Test func `an old copy that overrides the package's rules must be removed manually`() async throws {
        try system.write("# old\n", to: InstalledFile.rules.path)
        try system.installRules(at: "/usr/lib/udev/rules.d/60-cardpresent.rules")
        let told = await findings()
        #expect(told.verdicts == [.warning])
        #expect(told.fixes.first?.hasPrefix("sudo rm /etc/udev/rules.d/60-cardpresent.rules") == true)
        #expect(told.first?.repair == nil)
    }

    @Test func `masked rules must be fixed manually`() async throws {
        try system.installRules(at: "/usr/lib/udev/rules.d/60-cardpresent.rules")
        try system.link(InstalledFile.rules.path, to: "/dev/null")
        let told = await findings()
        #expect(told.verdicts == [.problem])
        #expect(told.first?.seen == "is empty, which disables the rules")
        #expect(told.first?.repair == nil)
    }

    @Test(arguments: [
        ("99-cardpresent.rules", "after 73-seat-late.rules"), ("74-readers.rules", "after 73-seat-late.rules"),
        ("10-readers.rules", "before 50-udev-default.rules"),
    ])
    func `rules with a wrong number are reported with the reason`(name: String, reason: String) async throws {
        try system.installRules(at: "/etc/udev/rules.d/\(name)")
        let told = await findings()
        #expect(told.verdicts == [.problem])
        #expect(told.first?.subject == "/etc/udev/rules.d/\(name)")
        #expect(told.first?.cause?.contains(reason) == true)
        #expect(told.fixes.first == "sudo rm /etc/udev/rules.d/\(name) && sudo cardpresent doctor --fix")
    }

    @Test func `another file name with a correct number passes`() async throws {
        try system.installRules(at: "/etc/udev/rules.d/65-shop.rules")
        #expect(await findings().verdicts == [.ok])
    }

    @Test(arguments: ["65-my-msr.rules", "99-my-msr.rules"])
    func `an administrator's rule for one device is neither used nor deleted`(name: String)
        async throws
    {
        try system.write(
            #"SUBSYSTEM=="usb", ATTR{idVendor}=="0acd", GROUP="cardpresent", MODE="0660""# + "\n",
            to: "/etc/udev/rules.d/\(name)")
        let told = await findings()
        #expect(told.verdicts == [.problem])
        #expect(told.first?.seen == "no udev rules give users access to card readers")
        #expect(told.fixes == ["sudo cardpresent doctor --fix"])
    }

    @Test func `custom rules that come too late are not deleted`() async throws {
        let own = InstalledFile.rules.text + "# and one more\n"
        try system.write(own, to: "/etc/udev/rules.d/99-shop.rules")
        let told = await findings()
        #expect(told.verdicts == [.problem])
        #expect(told.fixes == ["sudo cardpresent doctor --fix"])
    }

    @Test func `rules for firmware updates do not change access to readers`() async throws {
        try system.write(
            #"ATTR{idVendor}=="1209", ATTR{idProduct}=="000e", GROUP="cardpresent""# + "\n",
            to: "/etc/udev/rules.d/62-cardpresent-firmware.rules")
        #expect(await findings().verdicts == [.problem])
        try system.installRules()
        #expect(await findings().verdicts == [.ok])
    }

    @Test func `a later rule that assigns readers to pcscd is reported with its line`() async throws {
        try system.installRules()
        try system.write(
            """
            # libccid
            ACTION!="add", GOTO="end"
            ENV{ID_USB_INTERFACES}=="*:0b0000:*", \\
              GROUP="pcscd"
            LABEL="end"
            """, to: "/usr/lib/udev/rules.d/92_pcscd_ccid.rules")
        try system.write("SUBSYSTEM==\"usb\", GROUP=\"plugdev\"\n", to: "/usr/lib/udev/rules.d/80-other.rules")
        let told = await findings()
        #expect(told.verdicts == [.ok, .warning])
        #expect(told.last?.subject == "/usr/lib/udev/rules.d/92_pcscd_ccid.rules:3")
        #expect(told.last?.seen == "assigns smart card readers to the group pcscd")
        // With rules that forbid changing the group it has no effect.
        try system.write(InstalledFile.exclusiveRules.contents, to: InstalledFile.exclusiveRules.path)
        #expect(await findings().verdicts == [.ok])
    }
}
