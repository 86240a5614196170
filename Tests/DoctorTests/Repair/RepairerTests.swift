import DeviceAccess
import Doctor
import Testing

@Suite struct RepairerTests {
    private let system: FakeSystem

    init() throws { system = try FakeSystem() }

    private func report(_ repairs: Repair...) -> CheckReport {
        CheckReport(name: .rules, findings: repairs.map { .warning("something", fix: nil, repair: $0) })
    }

    private func repair(
        _ reports: [CheckReport], _ runner: RecordingRunner = RecordingRunner(), isRoot: Bool = true
    ) async -> [RepairResult] {
        await Repairer(files: system.files, runner: runner, isRoot: isRoot).repair(reports)
    }

    @Test func `what the rules check offers makes the rules check happy`() async throws {
        try system.startUdev()
        let check = RulesCheck(root: system.root, user: system.alice())
        let runner = RecordingRunner()
        let results = await repair([CheckReport(name: .rules, findings: await check.findings())], runner)
        #expect(results.map(\.outcome) == [.done])
        #expect(await check.findings().verdicts == [.ok])
        #expect(system.files.status(InstalledFile.rules.path)?.mode == 0o644)
        #expect(system.text(InstalledFile.group.path) == InstalledFile.group.text)
        #expect(
            runner.commands == [
                ["groupadd", "--force", "--system", "cardpresent"], ["udevadm", "control", "--reload"],
                ["udevadm", "trigger", "--subsystem-match=usb", "--subsystem-match=hidraw"],
            ])
    }

    @Test func `what was there before is kept, once, and what is right is left alone`() async throws {
        try system.write("# mine\n", to: InstalledFile.rules.path)
        let install = report(Repair("install", steps: [.install(InstalledFile.rules)]))
        #expect(await repair([install]).map(\.outcome) == [.done])
        #expect(system.text(InstalledFile.rules.path) == InstalledFile.rules.text)
        #expect(system.text(InstalledFile.rules.path + ".old") == "# mine\n")
        #expect(await repair([install]).map(\.outcome) == [.done])
        #expect(system.text(InstalledFile.rules.path + ".old") == "# mine\n")
        #expect(system.files.names(in: "/etc/udev/rules.d") == ["60-cardpresent.rules", "60-cardpresent.rules.old"])
    }

    @Test func `without root's rights nothing is tried that needs them`() async throws {
        let runner = RecordingRunner()
        let results = await repair(
            [
                report(
                    Repair("a", steps: [.install(InstalledFile.rules), .run(["udevadm"])]),
                    Repair("b", steps: [.run(["cupsenable", "q"])], needsRoot: false))
            ], runner, isRoot: false)
        #expect(results.map(\.outcome) == [.needsRoot, .done])
        #expect(runner.commands == [["cupsenable", "q"]])
        #expect(system.text(InstalledFile.rules.path) == nil)
    }

    @Test func `the same repair is done once`() async {
        let runner = RecordingRunner()
        let same = Repair("a", steps: [.run(["a"])])
        let results = await repair([report(same, same), report(same)], runner)
        #expect(results.count == 1)
        #expect(runner.commands == [["a"]])
    }

    @Test func `a step that fails ends its repair, and others go on`() async throws {
        let runner = RecordingRunner(failing: "systemd-sysusers")
        let results = await repair(
            [
                report(
                    Repair("a", steps: [.run(["systemd-sysusers"]), .run(["udevadm"])]),
                    Repair("b", steps: [.write("on", to: "/nowhere/control")]), Repair("c", steps: [.run(["c"])]))
            ], runner)
        #expect(
            results.map(\.outcome) == [
                .failed("systemd-sysusers ended with status 6: no such thing"),
                .failed("cannot write /nowhere/control: No such file or directory"), .done,
            ])
        #expect(runner.commands == [["systemd-sysusers"], ["c"]])
    }

    @Test func `a folder that cannot be made is told, and nothing is left behind`() async throws {
        try system.write("", to: "/etc/udev")
        let results = await repair([report(Repair("a", steps: [.install(InstalledFile.rules)]))])
        guard case .failed(let reason) = results.first?.outcome else {
            Issue.record("\(results)")
            return
        }
        #expect(reason.hasPrefix("cannot write /etc/udev"))
        #expect(system.files.names(in: "/etc") == ["group", "passwd", "udev"])
    }
}
