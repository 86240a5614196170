import Determinism
import Doctor
import Settings
import Storage
import Testing

@Suite struct LibrariesCheckTests {
    @Test func `missing libraries are reported with their packages`() async {
        let told = await LibrariesCheck(
            usbVersion: "1.0.26",
            libraries: [
                LibrariesCheck.Library(name: "libcups", package: "libcups2") { nil },
                LibrariesCheck.Library(name: "libother", package: "libother1") { "no such file" },
            ]
        ).findings()
        #expect(told.verdicts == [.ok, .ok, .warning])
        #expect(told.map(\.subject) == ["libusb", "libcups", "libother"])
        #expect(told.fixes == ["sudo apt-get install libother1"])
    }
}

@Suite struct ConfigurationCheckTests {
    @Test func `a readable file, and none, pass`() async {
        #expect(await ConfigurationCheck(path: "/a.yaml", fault: nil).findings() == [.ok("/a.yaml is valid")])
        #expect(await ConfigurationCheck(path: nil, fault: nil).findings().verdicts == [.ok])
    }

    @Test func `an error is reported with its location`() async throws {
        let fault = try #require(throws: SettingsError.self) {
            _ = try SettingsDocument(text: "a: 1\na: 2\n", file: "till.yaml").root
        }
        let told = await ConfigurationCheck(path: "till.yaml", fault: fault).findings()
        #expect(told.verdicts == [.problem])
        #expect(told.first?.trouble == .configuration)
        #expect(told.first?.subject == fault.location.description)
        #expect(told.fixes == ["cardpresent config check till.yaml"])
    }
}

@Suite struct ClockCheckTests {
    private let time = VirtualTimeSource()

    private func findings(
        _ state: ClockState = .synchronized, built: Timestamp? = nil, dated: [(String, Timestamp)] = []
    ) async -> [Finding] {
        await ClockCheck(time: time, state: state, built: built, dated: dated.map { (name: $0.0, date: $0.1) })
            .findings()
    }

    private func moment(_ seconds: Int64) -> Timestamp { time.now().advanced(by: .seconds(seconds)) }

    @Test func `a correct clock passes`() async {
        let told = await findings(built: moment(-5), dated: [("records", moment(599))])
        #expect(told == [.ok("the time is \(time.now())")])
    }

    @Test func `a clock before the program's build date is wrong`() async {
        let told = await findings(.notSynchronized, built: moment(601))
        #expect(told.verdicts == [.problem])
        #expect(told.first?.trouble == .machine)
        #expect(told.fixes == ["sudo timedatectl set-ntp true"])
        #expect(await findings(built: moment(599)).verdicts == [.ok])
    }

    @Test func `records in the future are reported by name`() async {
        let told = await findings(dated: [("/var/till.sqlite", moment(86_400)), ("old", moment(-1))])
        #expect(told.verdicts == [.problem])
        #expect(told.first?.subject == "/var/till.sqlite")
    }

    @Test func `an unsynchronized clock is a warning, and one of unknown state is not`() async {
        #expect(await findings(.notSynchronized).verdicts == [.warning])
        #expect(await findings(.unknown).verdicts == [.ok])
    }

    @Test func `the kernel reports the state of its clock`() {
        // Any answer will do; it is asked for without a trap.
        #expect([.synchronized, .notSynchronized, .unknown].contains(ClockState.ofKernel()))
    }
}

@Suite struct DatabaseCheckTests {
    private func findings(schema: Int?, free: UInt64) async -> [Finding] {
        await DatabaseCheck {
            DatabaseInspection(path: "/till.sqlite", schema: schema, newestSchema: 4, freeBytes: free)
        }.findings()
    }

    @Test func `a writable file passes, also before it exists`() async {
        #expect(
            await findings(schema: 4, free: 1 << 30)
                == [.ok(about: "/till.sqlite", "is writable (schema 4), 1024 MiB free")])
        #expect(await findings(schema: 3, free: 1 << 30).first?.seen.contains("migrated on next use") == true)
        #expect(await findings(schema: nil, free: 1 << 30).verdicts == [.ok])
    }

    @Test func `low disk space is a warning, and very low a problem`() async {
        #expect(await findings(schema: 4, free: 255 << 20).verdicts == [.warning])
        let told = await findings(schema: 4, free: 15 << 20)
        #expect(told.verdicts == [.problem])
        #expect(told.first?.trouble == .machine)
    }

    @Test(
        arguments: [
            (.notWritable(path: "/a b", reason: "Read-only file system"), .machine),
            (.diskFull(path: "/a b"), .machine), (.newerSchema(path: "/a b", found: 9, supported: 4), .data),
            (.corrupt(path: "/a b", detail: "malformed"), .data), (.busy(path: "/a b"), .busy),
            (.notADatabase(path: "/a b"), .data), (.foreignDatabase(path: "/a b"), .data),
            (.ruleBroken(path: "/a b", rule: "unique"), .data),
            (.failed(path: "/a b", code: 10, message: "I/O"), .machine),
        ] as [(StorageError, Trouble)])
    func `every obstacle to writing records is a problem with a fix`(
        error: StorageError, trouble: Trouble
    ) async {
        let told = await DatabaseCheck { () throws(StorageError) in throw error }.findings()
        #expect(told.verdicts == [.problem])
        #expect(told.first?.trouble == trouble)
        #expect(told.first?.subject == "/a b")
        #expect(told.fixes.count == 1)
    }

    @Test func `a folder is created for the user, and a file gets the user as owner`() async throws {
        let system = try FakeSystem()
        try system.write("", to: "/till.sqlite")
        for (path, command) in [
            ("/none", "sudo install -d -o"), ("", "sudo install -d -o"), ("/till.sqlite", "sudo chown"),
        ] {
            let place = system.root + path
            let told = await DatabaseCheck { () throws(StorageError) in
                throw .notWritable(path: place, reason: "Permission denied")
            }.findings()
            #expect(told.fixes.first?.hasPrefix("\(command) \"$USER\" '\(place)'") == true, "\(path)")
        }
        let unnamed = await DatabaseCheck(fault: "neither HOME nor XDG_DATA_HOME is set").findings()
        #expect(unnamed.verdicts == [.problem])
        #expect(unnamed.fixes == ["give --database FILE"])
    }

    @Test func `a path in a command is quoted`() async {
        let told = await DatabaseCheck { () throws(StorageError) in throw .busy(path: "/it's; rm -r") }.findings()
        #expect(told.fixes == ["fuser -v '/it'\\''s; rm -r'"])
    }
}
