import Cryptography
import Determinism
import EMV
import Foundation
import Money
import Settings
import Testing
import TillConfiguration

/// Files of the payment systems' public keys, and of revoked certificates.
@Suite struct CAPublicKeyStoreTests {
    private final class Folder {
        let url: URL

        init() throws {
            // Without digits: messages mask what may be a card number.
            let name = UUID().uuidString.filter(\.isLetter)
            url = FileManager.default.temporaryDirectory.appending(path: "capks-\(name)")
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        }

        deinit { try? FileManager.default.removeItem(at: url) }

        func write(_ text: String, to name: String) throws -> String {
            try Data(text.utf8).write(to: url.appending(path: name))
            return url.appending(path: name).path
        }
    }

    private let folder: Folder

    init() throws { folder = try Folder() }

    /// A key whose checksum is right, with a modulus that is drawn.
    private func key(
        rid: String = "A000000003", index: String = "92", seed: UInt64 = 1, byteCount: Int = 144
    ) throws -> (modulus: String, checksum: String) {
        var modulus = SeededRandomSource(seed: seed).bytes(byteCount)
        modulus[0] |= 0x80
        modulus[byteCount - 1] |= 1
        let bytes = Self.bytes(rid) + Self.bytes(index) + modulus + [3]
        return (Self.text(modulus), Self.text(try SHA1.hash(bytes)))
    }

    private func line(
        rid: String = "A000000003", index: String = "92", seed: UInt64 = 1, more: String = ""
    ) throws -> String {
        let key = try key(rid: rid, index: index, seed: seed)
        return
            #"{"rid": "\#(rid)", "index": "\#(index)", "bits": 1152, "exponent": "03", "modulus": "\#(key.modulus)", "#
            + #""sha1": "\#(key.checksum)"\#(more)}"# + "\n"
    }

    private func entry(rid: String = "A000000003", index: String = "92", seed: UInt64 = 1) throws -> String {
        let key = try key(rid: rid, index: index, seed: seed)
        return """
            - rid: \(rid)
              index: \(index)
              exponent: 03
              modulus: \(key.modulus)
              checksum: \(key.checksum)

            """
    }

    private func failure(_ files: String...) -> String? {
        do {
            _ = try CAPublicKeyStore(files: files)
            return nil
        } catch {
            return error.description.replacingOccurrences(of: folder.url.path + "/", with: "")
        }
    }

    // EMV Book 4 §10.2: the terminal holds keys of several payment systems, each by RID and index
    @Test func `keys are read from several files, JSON lines and YAML, with their locations`() throws {
        let lines = try folder.write(
            "# published test keys\n" + line() + "\n"
                + line(index: "94", seed: 2, more: #", "expiry": "2031-12-31", "hash_in_source_ok": true"#),
            to: "visa.jsonl")
        let list = try folder.write(try entry(rid: "A000000004", index: "F1", seed: 3), to: "mastercard.yaml")
        let store = try CAPublicKeyStore(files: [lines, list])
        #expect(store.keys.map(\.index) == [0x92, 0x94, 0xF1])
        #expect(store.entries.map(\.location.line) == [2, 4, 1])
        #expect(store.entries.map(\.location.file) == [lines, lines, list])
        #expect(store.keys.map(\.expiry) == [nil, CivilDate(year: 2031, month: 12, day: 31), nil])
        let configuration = try folder.write("capks:\n  - visa.jsonl\n  - \(list)\n", to: "till.yaml")
        #expect(try CAPublicKeyStore(configuration: configuration) == store)
        #expect(try TillConfiguration.load(path: configuration).terminal.certificationAuthorityKeys == store.keys)
    }

    @Test func `the same key in two files is one key, in one file an error`() throws {
        let lines = try folder.write(try line(), to: "a.jsonl")
        let list = try folder.write(try entry(), to: "b.yaml")
        #expect(try CAPublicKeyStore(files: [lines, list]).entries.map(\.location.file) == [lines])
        let twice = try folder.write(try line() + line(), to: "twice.jsonl")
        #expect(
            failure(twice) == "twice.jsonl:2: duplicate key 92 of A000000003, first in line 1; remove one of them")
    }

    @Test func `a different key with the same name is rejected with both locations`() throws {
        let first = try folder.write("\n" + line(), to: "a.jsonl")
        let second = try folder.write(try entry(index: "93", seed: 4) + entry(seed: 2), to: "b.yaml")
        #expect(
            failure(first, second)
                == "b.yaml:6: [1]: key 92 of A000000003 differs from the key in a.jsonl:2; "
                + "ask the acquirer which key is correct, and remove the other one")
        let dated = try folder.write(try line(more: #", "expiry": "2031-12-31""#), to: "c.jsonl")
        #expect(
            failure(first, dated)
                == "c.jsonl:1: key 92 of A000000003 has a different expiration date in a.jsonl:2; remove one of them")
    }

    // EMV Book 4 §10.2: a key of a certification authority that is changed on its way into the terminal is refused
    @Test func `an error in a key is reported with file, line, and key`() throws {
        let good = try line(index: "94", seed: 2)
        let faults: [(String, String)] = [
            (try line().replacingOccurrences(of: #""92""#, with: #""93""#), "2: sha1: the checksum of CA public key"),
            (try line().replacingOccurrences(of: "1152", with: "1024"), "2: bits: the modulus has 1152 bits"),
            (try line().replacingOccurrences(of: "sha1", with: "sha"), "2: unknown key 'sha'; did you mean 'sha1'?"),
            (try line(more: #", "checksum": "00""#), "2: sha1: 'checksum' has the same meaning; remove one of them"),
            (try line(more: #", "expiry": "31.12.2031""#), "2: expiry: not a date; write it as 2030-12-31"),
            ("{\"rid\": \"A000000003\"}\n", "2: the key 'index' is missing"),
            ("{\"rid\": \"A0000000", "2: not valid YAML"),
            ("[]\n", "2: expected a mapping, found a list"),
        ]
        for (text, expected) in faults {
            let file = try folder.write(good + text, to: "keys.jsonl")
            let found = try #require(failure(file))
            #expect(found.hasPrefix("keys.jsonl:" + expected), "\(found)")
        }
        #expect(
            failure("/nowhere/keys.jsonl") == "/nowhere/keys.jsonl: cannot read the file: No such file or directory")
    }

    @Test func `the size of a file and the number of keys are limited`() throws {
        let large = try folder.write(String(repeating: "#", count: 300_000), to: "large.jsonl")
        #expect(failure(large) == "large.jsonl:1: the file is larger than 262144 bytes")
        func lines(_ rid: String) throws -> String {
            try (0..<76).map { number in
                try line(rid: rid, index: Self.text([UInt8(number)]), seed: UInt64(number + 1))
            }.joined()
        }
        let first = try folder.write(try lines("A000000003"), to: "a.jsonl")
        let second = try folder.write(try lines("A000000004"), to: "b.jsonl")
        #expect(try CAPublicKeyStore(files: [first]).keys.count == 76)
        #expect(failure(first, second) == "b.jsonl:75: more than 150 keys")
        let names = (0..<21).map { _ in "  - a.jsonl\n" }.joined()
        let till = try folder.write("capks:\n" + names, to: "till.yaml")
        let error = #expect(throws: SettingsError.self) { try TillConfiguration.load(path: till) }
        #expect(error?.description == "\(till):22: capks[20]: more than 20 files")
    }

    @Test func `damaged lines are parsed or rejected with their line`() throws {
        var random = SplitMix(state: 7)
        let text = Array((try line() + line(index: "94", seed: 2)).utf8)
        for _ in 0..<300 {
            var bytes = text
            for _ in 0..<random.next(below: 4) + 1 {
                bytes[random.next(below: bytes.count)] = UInt8(random.next(below: 128))
            }
            bytes = Array(bytes.prefix(random.next(below: bytes.count) + 1))
            let file = try folder.write(String(decoding: bytes, as: UTF8.self), to: "fuzz.jsonl")
            do { _ = try CAPublicKeyStore(files: [file]) } catch {
                let count = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).count
                #expect((1...count + 1).contains(error.location.line))
                #expect(!error.description.contains("\n"))
            }
        }
    }

    private struct SplitMix {
        var state: UInt64

        mutating func next(below limit: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % limit
        }
    }

    // EMV Book 2 §5.1.2: the terminal holds a list of revoked certificates by RID, index and serial number
    @Test func `revoked certificates come from the configuration and from files, each once`() throws {
        _ = try folder.write(
            """
            # revoked
            {"rid": "A000000004", "index": "F1", "serial": "0000FF"}
            {"rid": "A000000003", "index": "92", "serial": "00A1B2"}
            """, to: "revoked.jsonl")
        let till = try folder.write(
            """
            revocations:
              - { rid: A000000003, index: 92, serial: 00A1B2 }
              - revoked.jsonl
            """, to: "till.yaml")
        let expected = [
            CertificateRevocation(rid: [0xA0, 0, 0, 0, 3], index: 0x92, serialNumber: [0, 0xA1, 0xB2]),
            CertificateRevocation(rid: [0xA0, 0, 0, 0, 4], index: 0xF1, serialNumber: [0, 0, 0xFF]),
        ]
        let configuration = try TillConfiguration.load(path: till)
        #expect(configuration.terminal.revokedCertificates == expected)
        #expect(configuration.terminal(for: try Currency(code: "EUR")).revokedCertificates == expected)
        _ = try folder.write(
            "{\"rid\": \"A000000004\", \"index\": \"F1\", \"serialNumber\": \"0000FF\"}", to: "revoked.jsonl")
        let error = #expect(throws: SettingsError.self) { try TillConfiguration.load(path: till) }
        #expect(error?.description.contains("revoked.jsonl:1: unknown key 'serialNumber'") == true)
    }

    @Test func `a list goes on after a key without a checksum, and a till refuses it`() throws {
        let without = try line(index: "95", seed: 3).replacingOccurrences(
            of: #", "sha1": "[0-9A-Fa-f]*""#, with: "", options: .regularExpression)
        let file = try folder.write(try line() + without + line(index: "94", seed: 2), to: "mixed.jsonl")
        #expect(!without.contains("sha1"))
        #expect(try CAPublicKeyStore(files: [file]).entries.map(\.hasChecksum) == [true, false, true])
        let till = try folder.write("capks: [mixed.jsonl]\n", to: "till.yaml")
        #expect(throws: SettingsError.self) { try CAPublicKeyStore(configuration: till) }
    }

    // EMV Book 2 §11.2.1: the check sum of a published key agrees with the published one
    @Test func `a published test key matches its published checksum`() throws {
        // American Express's test key 04 of 768 bits, as open terminals carry it.
        let text =
            #"{"rid": "A000000025", "index": "04", "bits": 768, "exponent": "03", "modulus": ""#
            + "D0F543F03F2517133EF2BA4A1104486758630DCFE3A883C77B4E4844E39A9BD6"
            + "360D23E6644E1E071F196DDF2E4A68B4A3D93D14268D7240F6A14F0D714C1782"
            + "7D279D192E88931AF7300727AE9DA80A3F0E366AEBA61778171737989E1EE309"
            + #"", "sha1": "FDD7139EC7E0C33167FD61AD3CADBD68D66E91C5"}"#
        let file = try folder.write(text, to: "keys.jsonl")
        #expect(try CAPublicKeyStore(files: [file]).keys.first?.key.length == 96)
    }

    /// Run it with CAPK_FILE set to a file of published keys.
    @Test(.enabled(if: ProcessInfo.processInfo.environment["CAPK_FILE"] != nil))
    func `a file of published keys is read`() throws {
        let path = try #require(ProcessInfo.processInfo.environment["CAPK_FILE"])
        #expect(try !CAPublicKeyStore(files: [path]).keys.isEmpty)
    }

    private static func bytes(_ text: String) -> [UInt8] {
        let digits = text.compactMap(\.hexDigitValue).map(UInt8.init)
        return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    private static func text(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()
    }
}
