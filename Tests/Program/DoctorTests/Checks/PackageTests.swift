import Testing

@testable import Doctor

/// What belongs to the Debian package is checked, but never written by a repair.
@Suite struct PackageTests {
    private let system: FakeSystem
    private let rulesPath = "/usr/lib/udev/rules.d/60-cardpresent.rules"
    private let reinstall = "sudo apt-get install --reinstall cardpresent"

    init() throws {
        system = try FakeSystem()
        try system.installPackage()
    }

    private func rules() async -> [Finding] {
        await RulesCheck(root: system.root, user: system.alice()).findings()
    }

    @Test func `the package's rules and group pass`() async throws {
        try system.makeGroup(998, members: "alice")
        #expect(await rules() == [.ok(about: rulesPath, "is current")])
        #expect(await GroupCheck(root: system.root, user: system.alice([998])).findings().verdicts == [.ok])
    }

    @Test func `rules of a package with another version are not overridden`() async throws {
        try system.write("# older\n", to: rulesPath)
        let told = await rules()
        #expect(told.verdicts == [.warning])
        #expect(told.first?.subject == rulesPath)
        #expect(told.fixes == [reinstall])
        #expect(told.first?.repair == nil)
    }

    @Test func `rules that the package has lost are restored by the package manager`() async throws {
        try system.remove(rulesPath)
        let told = await rules()
        #expect(told.verdicts == [.problem])
        #expect(told.first?.cause == "the file of the package cardpresent is missing")
        #expect(told.fixes == [reinstall])
        #expect(told.first?.repair == nil)
    }

    @Test func `an edited copy that hides the package's rules must be removed manually`() async throws {
        try system.write("# older\n", to: rulesPath)
        try system.write("# mine\n", to: InstalledFile.rules.path)
        let told = await rules()
        #expect(told.verdicts == [.warning])
        #expect(told.first?.subject == InstalledFile.rules.path)
        #expect(told.fixes.first?.hasPrefix("sudo rm \(InstalledFile.rules.path) && sudo udevadm") == true)
        #expect(told.first?.repair == nil)
    }

    @Test func `masked rules of a package come back when the mask is removed`() async throws {
        try system.link(InstalledFile.rules.path, to: "/dev/null")
        let told = await rules()
        #expect(told.verdicts == [.problem])
        #expect(
            told.fixes == [
                "sudo rm \(InstalledFile.rules.path) && sudo udevadm control --reload && sudo udevadm trigger"
            ])
        #expect(told.first?.repair == nil)
    }

    @Test func `the package's group is created from the package's own file`() async throws {
        let told = await GroupCheck(root: system.root, user: system.rootUser).findings()
        #expect(
            told.first?.repair?.steps == [.run(["systemd-sysusers", "/usr/lib/sysusers.d/cardpresent.conf"])])
    }

    @Test func `after the package is removed, the rules are installed as without it`() async throws {
        try system.remove(Installation.packageList)
        try system.remove(rulesPath)
        let told = await rules()
        #expect(told.fixes == ["sudo cardpresent doctor --fix"])
        #expect(told.first?.repair?.steps.first == .install(InstalledFile.rules))
    }
}
