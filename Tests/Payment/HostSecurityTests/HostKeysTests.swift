import CardSecrets
import Cryptography
import Files
import Foundation
import Settings
import Testing

@testable import HostSecurity

@Suite("Key files")
struct HostKeysTests {
    private static let master = "0123456789ABCDEFFEDCBA9876543210"

    private func read(_ text: String) throws -> HostKeys {
        var bytes = Array(text.utf8)
        return try HostKeys(replacingKeysIn: &bytes, file: "keys.yaml")
    }

    /// The error of a text, and that it has no digits of a key.
    private func error(_ text: String) -> String {
        do { _ = try read(text) } catch {
            let words = "\(error)"
            #expect(!words.uppercased().contains("89ABCDEF"), "\(words)")
            return words
        }
        return "none"
    }

    @Test func `keys of each cipher are read by name, with their check values`() throws {
        let keys = try read(
            """
            # The letter of the acquirer, 2026-11-28
            TMK: { cipher: tdes, key: 01234567 89ABCDEF FEDCBA98 76543210, check: 08D7B4 }
            TAK:
              cipher: tdes
              key: "0123456789abcdef23456789abcdef01456789abcdef0123"
              check: 4eba
            PEK: { cipher: aes, check: "7AD386C376", key: 2B7E151628AED2A6ABF7158809CF4F3C }
            HAK: { cipher: hmac, key: 00112233445566778899AABBCCDDEEFF, check: E8A065 }
            """)
        #expect(keys.names == ["HAK", "PEK", "TAK", "TMK"])
        let master = try #require(keys["TMK"])
        #expect(master.bytes.revealed == hex(Self.master))
        #expect(["TMK", "TAK", "PEK", "HAK"].map { keys[$0]?.bytes.count } == [16, 24, 16, 16])
        #expect(keys["PEK"]?.cipher == .aes && keys["TPK"] == nil)
        #expect("\(master)" == "TMK (tdes, check value 08D7B4)")
        #expect("\(keys)" == "HostKeys(HAK, PEK, TAK, TMK)")
    }

    @Test func `no key stays in the text that YAML is read from, and places stay the same`() throws {
        let line = "TMK: { cipher: tdes, key: \(Self.master), check: 08D7B4 }  # was FEDCBA9876543210"
        var bytes = Array(line.utf8)
        let marks = KeyFileText(replacingKeysIn: &bytes)
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.utf8.count == line.utf8.count)
        #expect(
            text
                == line.replacing(Self.master, with: "_______________________________0")
                .replacing("FEDCBA9876543210", with: "_______________1"))
        #expect(marks.key("_______________________________0")?.count == 16)
        #expect(marks.key("_______________7") == nil && marks.key("0") == nil)
        var shown = ""
        dump(try read(line), to: &shown)
        #expect(!shown.contains("89ABCDEF") && !shown.contains("171"), "\(shown)")
    }

    @Test func `each mistake has its line, and what to do`() {
        #expect(
            error("TMK: { cipher: tdes, key: \(Self.master), check: 08D7B5 }")
                == "keys.yaml:1: TMK.check: the key has another check value; "
                + "enter key and check value again; the digits that are there have 08D7B4")
        #expect(
            error("TMK: { cipher: tdes, key: \(Self.master) }") == "keys.yaml:1: TMK: the key 'check' is missing")
        #expect(
            error("TMK:\n  cipher: tdes\n  key: 0123456789ABCDEF\n  check: 08D7B4")
                == "keys.yaml:3: TMK.key: a key of 8 bytes: tdes has 16 or 24 bytes; "
                + "write the whole key, or correct 'cipher'")
        #expect(error("TMK: { cipher: des, key: \(Self.master), check: 08D7B4 }").contains("unknown value 'des'"))
        #expect(
            error("TMK: { cipher: tdes, key: \(Self.master)0, check: 08D7B4 }")
                .contains("not a key in hexadecimal digits"))
        #expect(
            error("TMK: { cipher: tdes, key: \(Self.master)G, check: 08D7B4 }")
                .contains("not a key in hexadecimal digits"))
        #expect(error("TMK: { cipher: tdes, key: \(Self.master), check: 8 }").contains("TMK.check"))
        #expect(error("TMK: { cipher: tdes, kye: \(Self.master), check: 08D7B4 }").contains("did you mean 'key'?"))
        #expect(error("\(Self.master): { cipher: tdes }").contains("not the name of a key"))
        #expect(error("- \(Self.master)").contains("expected a mapping"))
        #expect(error("TMK: \(Self.master)").contains("expected a mapping"))
        #expect(error("TMK: { key: \(Self.master)").contains("not valid YAML"))
        let twice = "TMK: { cipher: tdes, key: \(Self.master), check: 08D7B4 }\n"
        #expect(error(twice + twice).contains("duplicate key 'TMK'"))
    }

    @Test func `only a file of its owner alone is read`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "keys-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "keys.yaml").path
        #expect(throws: HostKeysError.missing(path: path)) { try HostKeys(path: path) }
        try Data("TMK: { cipher: tdes, key: \(Self.master), check: 08D7B4 }\n".utf8).write(to: URL(filePath: path))
        for mode in [0o644, 0o640, 0o602] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
            let error = #expect(throws: HostKeysError.self) { try HostKeys(path: path) }
            #expect(error == .file(.openToOthers(path: path)))
            #expect(error?.fix == "run: chmod 600 \(path)")
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        #expect(try HostKeys(path: path).names == ["TMK"])
        let link = folder.appending(path: "link.yaml").path
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        #expect(throws: HostKeysError.file(.notARegularFile(path: link))) { try HostKeys(path: link) }
    }

    @Test func `no bytes make the reader of key files fail`() {
        let random = Array("TMK: {cipher: tdes, key: 0123456789ABCDEF FEDCBA9876543210, check: 08D7B4}\n\t\"'#&*-".utf8)
        var state: UInt32 = 7
        for _ in 0..<2000 {
            var bytes = (0..<(Int(state >> 24) % 90)).map { _ in
                state = state &* 1_664_525 &+ 1_013_904_223
                return random[Int(state >> 16) % random.count]
            }
            state = state &* 1_664_525 &+ 1_013_904_223
            _ = try? HostKeys(replacingKeysIn: &bytes, file: "keys.yaml")
        }
    }
}
