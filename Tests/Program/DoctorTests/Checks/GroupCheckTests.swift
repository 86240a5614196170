import Doctor
import Testing

@Suite struct GroupCheckTests {
    private let system: FakeSystem

    init() throws { system = try FakeSystem() }

    private func findings(as user: LoginUser) async -> [Finding] {
        await GroupCheck(root: system.root, user: user).findings()
    }

    @Test func `a member of a system group passes, by entry or primary group`() async throws {
        try system.makeGroup(998, members: "bob,alice")
        #expect(
            await findings(as: system.alice([1000, 998])) == [.ok(about: "cardpresent", "group 998, alice is in it")])
        try system.write("carol:x:1001:998::/:/bin/sh\n", to: "/etc/passwd")
        #expect(await findings(as: LoginUser(name: "carol", isRoot: false, groups: [998])).verdicts == [.ok])
    }

    @Test func `a missing group can be created`() async throws {
        let told = await findings(as: system.alice())
        #expect(told.verdicts == [.problem])
        #expect(told.fixes.first?.hasPrefix("sudo groupadd --system cardpresent") == true)
        #expect(
            told.first?.repair?.steps == [
                .install(InstalledFile.group), .run(["groupadd", "--force", "--system", "cardpresent"]),
            ])
        try system.write("", to: "/usr/bin/systemd-sysusers")
        try system.startUdev()
        #expect(
            await findings(as: system.rootUser).first?.repair?.steps == [
                .install(InstalledFile.group), .run(["systemd-sysusers", "/etc/sysusers.d/cardpresent.conf"]),
                .run(["udevadm", "control", "--reload"]),
                .run(["udevadm", "trigger", "--subsystem-match=usb", "--subsystem-match=hidraw"]),
            ])
    }

    @Test func `a group that is not a system group is reported with a free number`() async throws {
        try system.makeGroup(1500, members: "alice")
        try system.makeGroup(999, named: "taken")
        let told = await findings(as: system.alice([1500]))
        #expect(told.verdicts == [.warning])
        #expect(told.fixes == ["sudo groupmod -g 998 cardpresent"])
        try system.write("# comment\nSYS_GID_MAX\t\t1999\n", to: "/etc/login.defs")
        #expect(await findings(as: system.alice([1500])).verdicts == [.ok])
    }

    @Test func `a user outside the group gets the command to join`() async throws {
        try system.makeGroup(998)
        let told = await findings(as: system.alice())
        #expect(told.verdicts == [.warning])
        #expect(told.fixes == ["sudo usermod -aG cardpresent alice, then log in again"])
        // Without root's rights nothing can be done about it.
        #expect(told.first?.repair == nil)
        let caller = LoginUser(name: "alice", isRoot: true, isSudoCaller: true)
        #expect(
            await findings(as: caller).first?.repair?.steps == [.run(["usermod", "-aG", "cardpresent", "alice"])])
    }

    @Test func `a login older than the membership is distinguished`() async throws {
        try system.makeGroup(998, members: "alice")
        let told = await findings(as: system.alice([1000]))
        #expect(told.verdicts == [.warning])
        #expect(told.first?.seen == "alice is in the group, but not in this login session")
        #expect(told.fixes == ["newgrp cardpresent, or log in again"])
    }

    @Test func `root needs no group`() async throws {
        try system.makeGroup(998)
        #expect(await findings(as: system.rootUser) == [.ok(about: "cardpresent", "group 998")])
    }
}
