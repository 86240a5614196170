import Foundation
import Testing

@Suite("A till and an acquirer with keys in a token, and with keys of DUKPT")
struct TokenHostTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private static let module = "/usr/lib/softhsm/libsofthsm2.so"
    private static let master = "0123456789ABCDEFFEDCBA9876543210"
    private static let root = URL(filePath: #filePath).appending(path: "../../../../..").standardized
    private var environment: [String: String] { ["SOFTHSM2_CONF": scratch.file("softhsm2.conf")] }

    private static func profile(_ name: String) -> String {
        root.appending(path: "Examples/hosts/\(name).yaml").path
    }

    private func shell(_ program: String, _ arguments: String...) throws {
        let result = try Child(
            program: "/usr/bin/env", [program] + arguments, in: scratch,
            environment: environment.merging(["PATH": "/usr/bin:/bin"]) { $1 }
        ).result()
        try #require(result.status == 0, "\(result.output)\(result.error)")
    }

    private func owned(_ text: String, _ name: String) throws -> String {
        let path = try scratch.write(text, to: name)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        return path
    }

    /// Makes a token with the master key; its URI.
    private func token(_ name: String, pin: String = "1234") throws -> String {
        try FileManager.default.createDirectory(atPath: scratch.file("tokens"), withIntermediateDirectories: true)
        _ = try scratch.write(
            "directories.tokendir = \(scratch.file("tokens"))\nobjectstore.backend = file\nlog.level = ERROR\n",
            to: "softhsm2.conf")
        try shell(
            "softhsm2-util", "--init-token", "--free", "--label", name, "--so-pin", "5678", "--pin", "1234")
        let writer = Self.root.appending(path: "Scripts/python/token_keys.py").path
        try shell("python3", writer, Self.module, name, "1234", "TMK=des2:\(Self.master)")
        let file = try owned(pin + "\n", "\(name).pin")
        return "pkcs11:token=\(name)?module-path=\(Self.module)&pin-source=\(file)"
    }

    /// Starts an acquirer, and writes the configuration of a till.
    private func start(_ profile: String, acquirer: String, till: String) throws -> (Child, configuration: String) {
        let child = try Child(
            [
                "simulate", "acquirer", "--listen", "127.0.0.1:0", "--profile", Self.profile(profile), "--keys",
                acquirer, "--ledger", scratch.file("acquirer.sqlite"), "--seed", "1",
            ], in: scratch, environment: environment)
        #expect(child.wait { child.output.contains("\n") }, "\(child.errorOutput)")
        let line = try #require(child.output.split(separator: "\n").first)
        let address = try #require(line.split(separator: " ").last)
        let configuration = try scratch.write(
            "host: { kind: iso8583, address: '\(address)', profile: '\(Self.profile(profile))', keys: '\(till)', "
                + "timeouts: { answer: 5 } }\n",
            to: "till.yaml")
        return (child, configuration)
    }

    private func outcome(_ configuration: String, _ more: String...) throws -> String? {
        let arguments = ["pay", "12.50", "--json", "--config", configuration, "--database", scratch.database] + more
        return try Program.run(arguments, in: scratch, environment: environment).object()["outcome"] as? String
    }

    @Test func `both ends have the master key in a token: check, payment, and PIN`() throws {
        let (till, host) = (try token("till"), try token("host"))
        let (child, configuration) = try start("mac-host", acquirer: host, till: till)
        defer { child.send(SIGTERM) }
        let check = try Program.run(
            ["host", "check", "--config", configuration], in: scratch, environment: environment)
        #expect(check.status == 0 && check.output.contains("key exchange"), "\(check.error)")
        #expect(try outcome(configuration, "--card", "visa-dda") == "approved")
        #expect(try outcome(configuration, "--card", "online-pin", "--pin", "1234") == "approved")
        #expect(try outcome(configuration, "--card", "online-pin", "--pin", "4321") == "declined")
    }

    @Test func `a wrong PIN, a PIN in the configuration, and a missing token end with what to do`() throws {
        let uri = try token("till", pin: "9999")
        func check(_ keys: String) throws -> ProgramResult {
            try Program.run(
                [
                    "host", "check", "--address", "127.0.0.1:1", "--profile", Self.profile("mac-host"), "--keys", keys,
                    "--terminal", "TERM0001",
                ], in: scratch, environment: environment)
        }
        let wrong = try check(uri)
        #expect(wrong.status == 78 && wrong.error.contains("is wrong; it was tried once"), "\(wrong.error)")
        #expect(!wrong.error.contains("9999"))
        let missing = try check(uri.replacing("token=till", with: "token=desk"))
        #expect(missing.status == 78 && missing.error.contains("there is no token 'desk'; there is 'till'"))
        let configuration = try scratch.write(
            "host:\n  kind: iso8583\n  address: 127.0.0.1:1\n  profile: iso87-ascii\n"
                + "  keys: 'pkcs11:token=till?module-path=\(Self.module)&pin-value=9999'\n", to: "till.yaml")
        let pay = try Program.run(
            ["pay", "1", "--config", configuration, "--database", scratch.database], in: scratch)
        #expect(pay.status == 78 && pay.error.contains("till.yaml:5"), "\(pay.error)")
        #expect(pay.error.contains("has a PIN") && pay.error.contains("pin-source") && !pay.error.contains("9999"))
    }

    @Test func `MACs and PINs under DUKPT use a key serial number each, which stays on the disk`() throws {
        let base = try owned("BDK: { cipher: tdes, key: \(Self.master), check: 08D7B4 }\n", "base.yaml")
        let initial = try owned(
            "BDK: { cipher: tdes, key: 6AC292FAA1315B4D858AB3A3D7D5933A, check: AF8C07, ksn: FFFF9876543210E00000 }\n",
            "initial.yaml")
        let (child, configuration) = try start("dukpt-host", acquirer: base, till: initial)
        defer { child.send(SIGTERM) }
        #expect(try outcome(configuration, "--card", "visa-dda") == "approved")
        #expect(try scratch.text("initial.yaml.ksn") == "FFFF9876543210E00001\n")
        #expect(try outcome(configuration, "--card", "online-pin", "--pin", "1234") == "approved")
        #expect(try scratch.text("initial.yaml.ksn") == "FFFF9876543210E00002\n")
        #expect(try outcome(configuration, "--card", "online-pin", "--pin", "4321") == "declined")
        let refund = try Program.run(
            [
                "refund", "P000001", "--amount", "2.50", "--json", "--config", configuration, "--database",
                scratch.database,
            ], in: scratch)
        #expect(try refund.object()["outcome"] as? String == "approved")
        #expect(try scratch.text("initial.yaml.ksn") == "FFFF9876543210E00004\n")
        let wrong = try scratch.write(
            "host: { kind: iso8583, address: '127.0.0.1:1', profile: '\(Self.profile("dukpt-host"))', "
                + "keys: '\(base)' }\n",
            to: "wrong.yaml")
        let pay = try Program.run(
            ["pay", "1", "--card", "visa-dda", "--config", wrong, "--database", scratch.file("wrong.sqlite")],
            in: scratch)
        #expect(pay.status == 78 && pay.error.contains("needs the initial key of this terminal"), "\(pay.error)")
    }

    @Test func `a fault of MACs needs a profile with MACs`() throws {
        let result = try Program.run(
            [
                "simulate", "acquirer", "--listen", "127.0.0.1:0", "--profile", "iso87-ascii", "--fault",
                "wrong-mac:sale:1",
            ], in: scratch)
        #expect(result.status == 64 && result.error.contains("--fault wrong-mac needs MACs"), "\(result.error)")
    }
}
