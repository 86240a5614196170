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

    @Test func `the repair of the rules check makes it pass`() async throws {
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

    @Test func `the previous file is kept once, and correct files are not changed`() async throws {
        try system.write("# mine\n", to: InstalledFile.rules.path)
        let install = report(Repair("install", steps: [.install(InstalledFile.rules)]))
        #expect(await repair([install]).map(\.outcome) == [.done])
        #expect(system.text(InstalledFile.rules.path) == InstalledFile.rules.text)
        #expect(system.text(InstalledFile.rules.path + ".old") == "# mine\n")
        #expect(await repair([install]).map(\.outcome) == [.done])
        #expect(system.text(InstalledFile.rules.path + ".old") == "# mine\n")
        #expect(system.files.names(in: "/etc/udev/rules.d") == ["60-cardpresent.rules", "60-cardpresent.rules.old"])
    }

    @Test func `without root rights no repair that needs them is tried`() async throws {
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
                .failed("systemd-sysusers exited with status 6: no such thing"),
                .failed("cannot write /nowhere/control: No such file or directory"), .done,
            ])
        #expect(runner.commands == [["systemd-sysusers"], ["c"]])
    }

    @Test func `a folder that cannot be created is reported, and nothing is left behind`() async throws {
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

@Suite struct ProcessRunnerTests {
    @Test func `a successful program has no output`() async throws {
        try await ProcessRunner().run(["true"])
        try await ProcessRunner().run(["/bin/sh", "-c", "test \"$LC_ALL$HOME\" = C"])
    }

    @Test func `a program has no terminal for prompts`() async throws {
        // proc(5), stat: the sixth field is the session.
        try await ProcessRunner().run([
            "/bin/sh", "-c", "read -r pid name state parent group session rest < /proc/$$/stat && test $session = $$",
        ])
    }

    @Test func `a failed program is reported with its last output`() async {
        await #expect(throws: RepairError.failed(program: "sh", status: 3, message: "no printer")) {
            try await ProcessRunner().run(["sh", "-c", "echo first; echo 'no printer' >&2; exit 3"])
        }
        await #expect(throws: RepairError.failed(program: "sh", status: 137, message: "")) {
            try await ProcessRunner().run(["sh", "-c", "kill -9 $$"])
        }
    }

    @Test func `a missing program, and none, are reported`() async {
        await #expect(throws: RepairError.notStarted(program: "nothing-here", reason: "No such file or directory")) {
            try await ProcessRunner().run(["nothing-here"])
        }
        await #expect(throws: RepairError.notStarted(program: "", reason: "no program is named")) {
            try await ProcessRunner().run([])
        }
    }

    @Test func `a program that does not end is killed`() async {
        await #expect(throws: RepairError.timedOut(program: "sleep")) {
            try await ProcessRunner(seconds: 1).run(["sleep", "600"])
        }
    }

    @Test func `endless output of a program does not fill the memory`() async {
        await #expect(throws: RepairError.failed(program: "sh", status: 1, message: "end")) {
            try await ProcessRunner().run(["sh", "-c", "head -c 1000000 /dev/zero; echo; echo end; exit 1"])
        }
    }
}
