import CardSecrets
import Cryptography
import Files
import Foundation
import ISO8583
import Settings
import Testing

@testable import HostSecurity

@Suite("MACs under DUKPT")
struct DerivedKeysTests {
    // ANSI X9.24-1:2009 annex A4, and the test vectors of ANSI X9.24-3:2017
    private static let (tdesBase, tdesInitial) = (
        "0123456789ABCDEFFEDCBA9876543210", "6AC292FAA1315B4D858AB3A3D7D5933A"
    )
    private static let (aesBase, aesInitial) = (
        "FEDCBA9876543210F1F1F1F1F1F1F1F1", "1273671EA26AC29AFA4D1084127652A1"
    )

    private func rule(
        _ algorithm: SecurityRules.MACRule.Algorithm, _ scheme: SecurityRules.KeyScheme, bothWays: Bool = false
    ) -> SecurityRules.MACRule {
        SecurityRules.MACRule(
            algorithm: algorithm, scheme: scheme, key: "BDK", messages: [.sale], keySerialNumberField: 53,
            isBothWays: bothWays)
    }

    /// The key of a terminal, or of an acquirer.
    private func key(_ scheme: SecurityRules.KeyScheme, ofTerminal: Bool) throws -> HostKey {
        guard ofTerminal else {
            return try HostSecurityTests.key(
                "BDK", scheme == .dukptAES ? Self.aesBase : Self.tdesBase, scheme == .dukptAES ? .aes : .tripleDES)
        }
        return try HostKey(
            "BDK", scheme == .dukptAES ? .aes : .tripleDES,
            SensitiveBytes(hex(scheme == .dukptAES ? Self.aesInitial : Self.tdesInitial)),
            keySerialNumber: try DUKPTKeySerialNumber(
                hex(scheme == .dukptAES ? "123456789012345600000000" : "FFFF9876543210E00000")))
    }

    @Test(arguments: [true, false])
    func `MACs with triple DES are those of X9.24-1, for request and answer, at both ends`(
        ofTerminal: Bool
    ) async throws {
        let number = try DUKPTKeySerialNumber(hex("FFFF9876543210E00001"))
        let rule = rule(.iso9797Algorithm3, .dukptTDES)
        let keys = try DerivedMACKeys(rule, from: try key(.dukptTDES, ofTerminal: ofTerminal), number)
        let text = Array("4012345678909D987".utf8)
        let authenticator = MessageAuthenticator(rule)
        #expect(try await authenticator.code(text, key: keys.request, fieldLength: 8) == hex("9CCC78173FC4FB64"))
        #expect(try await authenticator.code(text, key: keys.answer, fieldLength: 8) == hex("20364223C1FF00FA"))
    }

    @Test(arguments: [true, false])
    func `keys with AES are the MAC keys of X9.24-3, one way and both ways, at both ends`(ofTerminal: Bool) throws {
        let number = try DUKPTKeySerialNumber(hex("123456789012345600000001"))
        let base = try key(.dukptAES, ofTerminal: ofTerminal)
        let keys = try DerivedMACKeys(rule(.cmac, .dukptAES), from: base, number)
        #expect(keys.request.bytes.revealed == hex("A2DC23DE6FDE0824A2BC321E08E4B8B7"))
        #expect(keys.answer.bytes.revealed == hex("DBB463945B286C07CD3AD82EE96FD9C9"))
        let both = try DerivedMACKeys(rule(.cmac, .dukptAES, bothWays: true), from: base, number)
        #expect(both.request.bytes.revealed == hex("85675439D18D7F1158BD8E3EAA3D502B"))
        #expect(both.answer.bytes.revealed == both.request.bytes.revealed)
        #expect(keys.request.cipher == .aes && "\(keys.request)".contains("BDK (aes"))
    }

    @Test func `with triple DES the request key is also the key both ways`() throws {
        let number = try DUKPTKeySerialNumber(hex("FFFF9876543210E00001"))
        let base = try key(.dukptTDES, ofTerminal: false)
        let both = try DerivedMACKeys(rule(.iso9797Algorithm3, .dukptTDES, bothWays: true), from: base, number)
        let one = try DerivedMACKeys(rule(.iso9797Algorithm3, .dukptTDES), from: base, number)
        #expect(both.answer.bytes.revealed == one.request.bytes.revealed)
        #expect(one.request.bytes.revealed == hex("042666B4918430A368DE9628D03984C9"))
    }

    @Test func `the PIN key of a transaction is that of the standard`() throws {
        let number = try DUKPTKeySerialNumber(hex("123456789012345600000001"))
        let found = try PINKey(from: try key(.dukptAES, ofTerminal: true), number)
        #expect(found.key.bytes.revealed == hex("AF8CB133A78F8DC2D1359F18527593FB"))
        #expect(found.keySerialNumber == number)
    }

    @Test func `a key serial number belongs to its cipher and length`() throws {
        let number = try DUKPTKeySerialNumber(hex("FFFF9876543210E00000"))
        #expect(throws: HostKeyError.keySerialNumber(10, .aes)) {
            _ = try HostKey("BDK", .aes, SensitiveBytes(hex(Self.aesInitial)), keySerialNumber: number)
        }
        #expect(throws: HostKeyError.keySerialNumber(10, .tripleDES)) {
            _ = try HostKey(
                "BDK", .tripleDES, SensitiveBytes([UInt8](repeating: 1, count: 24)), keySerialNumber: number)
        }
    }

    @Test func `a key file has the initial key with its key serial number`() throws {
        let line = "BDK: { cipher: tdes, key: \(Self.tdesInitial), check: AF8C07, ksn: FFFF9876543210E00000 }"
        var bytes = Array(line.utf8)
        let keys = try HostKeys(replacingKeysIn: &bytes, file: "keys.yaml")
        #expect(keys["BDK"]?.keySerialNumber?.bytes == hex("FFFF9876543210E00000"))
        var wrong = Array(line.replacing("FFFF9876543210E00000", with: "FFFF9876543210E0").utf8)
        let error = #expect(throws: SettingsError.self) {
            _ = try HostKeys(replacingKeysIn: &wrong, file: "keys.yaml")
        }
        #expect(error?.located.contains("BDK.ksn: a DUKPT key serial number of 8 bytes") == true)
    }
}

@Suite("Key serial numbers")
struct KeySerialNumberTests {
    private func inFolder(_ body: (String) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "ksn-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder.appending(path: "keys.yaml").path)
    }

    private static let first = hex("FFFF9876543210E00000")

    @Test func `every number is taken once, by tasks at the same time, and is on the disk`() async throws {
        try await inFolder { path in
            let first = try DUKPTKeySerialNumber(Self.first)
            var counters: Set<UInt32> = []
            try await withThrowingTaskGroup(of: UInt32.self) { group in
                for _ in 0..<8 {
                    group.addTask { try await KeySerialNumberFile(beside: path).next(after: first).counter }
                }
                for try await counter in group { counters.insert(counter) }
            }
            #expect(counters == Set(1...8))
            #expect(try String(contentsOfFile: path + ".ksn", encoding: .utf8) == "FFFF9876543210E00008\n")
            #expect(try await KeySerialNumberFile(beside: path).next(after: first).counter == 9)
        }
    }

    @Test func `a higher number of the key file counts, and another device has numbers of its own`() async throws {
        try await inFolder { path in
            let file = KeySerialNumberFile(beside: path)
            let first = try DUKPTKeySerialNumber(Self.first)
            #expect(try await file.next(after: first).counter == 1)
            #expect(try await file.next(after: first.with(counter: 0x50)).counter == 0x51)
            #expect(try await file.next(after: first).counter == 0x52)
            let other = try DUKPTKeySerialNumber(hex("123456789012345600000000"))
            #expect(try await file.next(after: other).counter == 1)
            #expect(try await file.next(after: first).counter == 0x53)
        }
    }

    @Test func `a damaged file and used up keys are errors, and no number is taken`() async throws {
        try await inFolder { path in
            let file = KeySerialNumberFile(beside: path)
            let last = try DUKPTKeySerialNumber(Self.first).with(counter: 0x1F_F800)
            await #expect(throws: KeySerialNumberError.numbers(.keysUsedUp)) { _ = try await file.next(after: last) }
            // An empty file is one that lost its lines.
            for (bytes, reason) in [("no number\n", "a line is no key serial number"), ("", "it is empty")] {
                try Data(bytes.utf8).write(to: URL(filePath: file.path))
                try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
                let error = await #expect(throws: KeySerialNumberError.self) {
                    _ = try await file.next(after: try DUKPTKeySerialNumber(Self.first))
                }
                #expect(error?.description.contains("\(reason), and keys must not be used again") == true)
            }
        }
    }
}
