import Foundation
import Glibc
import Testing

@Suite("Doctor")
struct DoctorCommandTests {
    private let scratch: Scratch
    private let root: String

    init() throws {
        scratch = try Scratch()
        root = scratch.file("root")
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
    }

    private func doctor(_ arguments: String..., environment: [String: String] = [:]) throws -> ProgramResult {
        try Program.run(
            ["doctor", "--database", scratch.database] + arguments, in: scratch, environment: environment)
    }

    private func write(_ bytes: [UInt8], to path: String) throws {
        let place = URL(fileURLWithPath: root + path)
        try FileManager.default.createDirectory(
            at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: place)
    }

    private func write(_ text: String, to path: String) throws { try write(Array(text.utf8), to: path) }

    /// A machine with a reader that a program holds.
    private func plugReader(driver: String?) throws {
        let ccid: [UInt8] =
            [
                54, 0x21, 0x10, 0x01, 0, 7, 1, 0, 0, 0, 0xA0, 0x0F, 0, 0, 0xA0, 0x0F, 0, 0, 0, 0x80, 0x25, 0, 0, 0x80,
                0x25,
            ]
            + [0, 0, 0, 0xFE, 0, 0, 0] + [UInt8](repeating: 0, count: 8) + [0x3A, 0, 1, 0, 0x0F, 1, 0, 0, 0xFF, 0xFF]
            + [0, 0, 0, 1]
        let body =
            [9, 4, 0, 0, 3, 0x0B, 0, 0, 0] + ccid + [7, 5, 0x81, 3, 8, 0, 16, 7, 5, 0x82, 2, 64, 0, 0]
            + [7, 5, 0x03, 2, 64, 0, 0]
        let device = "/sys/bus/usb/devices/1-1"
        try write("1\n", to: device + "/busnum")
        try write("4\n", to: device + "/devnum")
        try write("1\n", to: device + "/bConfigurationValue")
        try write("GemPC Twin\n", to: device + "/product")
        try write(
            [18, 1, 0, 2, 0, 0, 0, 64, 0xE6, 0x08, 0x37, 0x34, 0, 1, 1, 2, 0, 1]
                + [9, 2, UInt8(9 + body.count), 0, 1, 1, 0, 0x80, 50] + body, to: device + "/descriptors")
        try write("auto\n", to: device + "/power/control")
        try write("", to: "/dev/bus/usb/001/004")
        guard let driver else { return }
        try write("00\n", to: device + ":1.0/bInterfaceNumber")
        try FileManager.default.createSymbolicLink(
            atPath: root + device + ":1.0/driver", withDestinationPath: "../../drivers/" + driver)
        try write("pcscd\n", to: "/proc/812/comm")
        try FileManager.default.createDirectory(atPath: root + "/proc/812/fd", withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: root + "/proc/812/fd/9", withDestinationPath: "/dev/bus/usb/001/004")
    }

    @Test func `the checks are listed`() throws {
        let told = try doctor("--list", "--json")
        #expect(told.status == 0)
        let names = try told.list().map { $0["name"] as? String }
        #expect(
            names == [
                "libraries", "configuration", "database", "clock", "usb", "rules", "group", "reader", "permission",
                "owner",
                "power", "answer", "printer",
            ])
        let shown = try doctor("--list")
        #expect(shown.output.split(separator: "\n").count == names.count + 1)
        #expect(shown.output.hasPrefix("CHECK          PURPOSE\n"))
        #expect(shown.output.contains("reader         A card reader is connected.\n"))
    }

    @Test func `checks run in order, and the exit code is that of the first problem`() throws {
        let told = try doctor("--json")
        let view = try told.object()
        let checks = try #require(view["checks"] as? [[String: Any]])
        #expect(checks.count == 13)
        #expect(checks.map { $0["name"] as? String }.prefix(2) == ["libraries", "configuration"])
        let codes = ["reader": 5, "printer": 6, "data": 65, "machine": 69, "busy": 75, "configuration": 78]
        let findings = checks.flatMap { $0["findings"] as? [[String: Any]] ?? [] }
        #expect(
            findings.allSatisfy {
                Set($0.keys) == ["cause", "fix", "fixable", "seen", "subject", "trouble", "verdict"]
            })
        let trouble = findings.lazy.compactMap { $0["trouble"] as? String }.first
        #expect(told.status.map(Int.init) == trouble.map { codes[$0] ?? -1 } ?? 0)
        #expect(view["problems"] as? Int == findings.count { $0["verdict"] as? String == "problem" })
        #expect(view["repairs"] as? [String] == [])
        // Looking leaves nothing behind.
        #expect(!FileManager.default.fileExists(atPath: scratch.database))
        if !FileManager.default.fileExists(atPath: "/sys/bus/usb") {
            #expect(
                try doctor().output.contains(
                    "problem  usb            the kernel has no USB support: /sys/bus/usb does not exist\n"))
        }
    }

    @Test func `a reader held by pcscd is reported with cause and fix`() throws {
        try plugReader(driver: "usbfs")
        let shown = try doctor("--root", root, "--only", "owner")
        #expect(shown.status == 5)
        #expect(
            shown.output == """
                problem  owner          08e6:3437@1-1 GemPC Twin: is in use by pcscd (process 812)
                                        why: pcscd uses all readers that it supports; use them through pcscd with --reader pcsc, or exclude newer versions with 61-cardpresent-exclusive.rules
                                        fix: sudo systemctl stop pcscd.socket pcscd.service

                """)
        #expect(shown.error == "1 problem, 0 warnings\n")
    }

    @Test func `a healthy system has no problems`() throws {
        try plugReader(driver: nil)
        let told = try doctor(
            "--root", root + "//", "--only", "usb", "--only", "reader", "--only", "owner", "--only", "power", "--json")
        #expect(told.status == 0)
        #expect(try told.object()["verdict"] as? String == "ok")
        // A tree is looked at, and its readers are not asked.
        let checks = try doctor("--root", root, "--json").object()["checks"] as? [[String: Any]]
        #expect(checks?.contains { $0["name"] as? String == "answer" } == false)
    }

    @Test func `an unusable configuration or database is reported with its exit code`() throws {
        let configuration = try scratch.write("reciept: {}\n", to: "till.yaml")
        let told = try doctor("--config", configuration, "--only", "configuration")
        #expect(told.status == 78)
        #expect(told.output.contains("reciept"))
        let text = try scratch.write(String(repeating: "no database ", count: 100), to: "text")
        #expect(try doctor("--database", text, "--only", "database").status == 65)
        let nowhere = try doctor("--database", text + "/x.sqlite", "--only", "database")
        #expect(nowhere.status == 69)
        #expect(nowhere.output.contains("Not a directory"))
    }

    @Test func `an unknown check, and repairs of another system, are usage errors`() throws {
        let mistyped = try doctor("--only", "printr")
        #expect(mistyped.status == 64)
        #expect(mistyped.error.contains("did you mean 'printer'?"))
        let both = try doctor("--fix", "--root", root)
        #expect(both.status == 64)
        #expect(both.error.contains("--fix cannot be used with --root"))
    }

    @Test(.enabled(if: geteuid() == 0, "needs root for a mount namespace"))
    func `--fix installs rules and group as root, and lists the remaining steps without root`() throws {
        // Everything happens in a copy of /etc that only this test's processes see.
        let script = """
            mkdir '\(scratch.folder)/etc' && mount -t tmpfs tmpfs '\(scratch.folder)/etc'
            cp -a /etc/passwd /etc/group /etc/shadow /etc/gshadow /etc/login.defs /etc/nsswitch.conf '\(scratch.folder)/etc/'
            cp -a /etc/ld.so.cache /etc/alternatives '\(scratch.folder)/etc/' 2>/dev/null
            mkdir -p '\(scratch.folder)/etc/udev/rules.d'
            sed -i '/^cardpresent:/d' '\(scratch.folder)/etc/group' '\(scratch.folder)/etc/gshadow'
            mount --bind '\(scratch.folder)/etc' /etc && mount -t tmpfs tmpfs /run
            echo '# of another version' >/etc/udev/rules.d/60-cardpresent.rules
            setpriv --reuid 65534 --regid 65534 --clear-groups "$0" doctor --fix --only rules --only group --json
            cat /etc/udev/rules.d/60-cardpresent.rules
            "$0" doctor --fix --only rules --only group --json >'\(scratch.file("fixed.json"))'
            getent group cardpresent
            ls /etc/udev/rules.d /etc/sysusers.d
            cmp /etc/udev/rules.d/60-cardpresent.rules '\(Self.rules)' && echo same
            """
        // The folder of the test is not for others.
        chmod(scratch.folder, 0o755)
        let result = try Child(
            program: "/usr/bin/unshare", ["--mount", "/bin/bash", "-c", script, Program.path], in: scratch
        ).result()
        let output = result.output
        #expect(output.contains("\"outcome\" : \"needsRoot\""), "\(output) \(result.error)")
        #expect(output.contains("# of another version\n"))
        #expect(output.contains("\ncardpresent:x:"))
        #expect(output.contains("60-cardpresent.rules\n60-cardpresent.rules.old\n"))
        #expect(output.contains("\ncardpresent.conf\n"))
        #expect(output.hasSuffix("same\n"), "\(output) \(result.error)")
        let view = try #require(
            try JSONSerialization.jsonObject(with: Data(scratch.text("fixed.json").utf8)) as? [String: Any])
        #expect(view["problems"] as? Int == 0)
        let repairs = try #require(view["repairs"] as? [[String: Any]])
        #expect(repairs.map { $0["outcome"] as? String } == ["done", "done"])
    }

    /// The rules as they lie in the repository.
    private static let rules = URL(fileURLWithPath: #filePath)
        .appendingPathComponent("../../../../../udev/60-cardpresent.rules").standardizedFileURL.path
}
