import EMV
import EMVReplay
import Foundation
import Settings
import Testing

/// The recorded card of others once more, its certificates and signature by themselves.
struct OfflineAuthenticationCaseTests {
    private func text(_ changes: [String: String] = [:], dropping dropped: [String] = []) throws -> String {
        let url = try #require(
            Bundle.module.url(forResource: "invented-scheme-dda", withExtension: "yaml", subdirectory: "Traces"))
        var text = try String(contentsOf: url, encoding: .utf8)
        for (old, new) in changes {
            #expect(text.contains(old))
            text = text.replacingOccurrences(of: old, with: new)
        }
        return text.split(separator: "\n", omittingEmptySubsequences: false)
            .filter { line in !dropped.contains { line.hasPrefix($0) } }.joined(separator: "\n")
    }

    private func check(_ text: String) throws -> OfflineAuthenticationCheck {
        OfflineAuthenticationCheck(try OfflineAuthenticationCase(text: text, file: "case.yaml"))
    }

    // EMV Book 2 §6.3: the issuer's key is recovered and bound to the card's account number
    // EMV Book 2 §6.5.2: the signature over the terminal's data is opened and its hash compared
    @Test func `certificates and signature of a third-party card pass`() throws {
        let check = try check(text())

        #expect(check.steps.map(\.name) == [.issuerCertificate, .iccCertificate, .dynamicData])
        #expect(check.passes)
        #expect(check.meetsExpectation)
        #expect(check.dynamicNumber == [0x00, 0x2C])
    }

    // EMV Book 2 §6.3: an issuer's certificate that has expired is refused
    // EMV Book 2 §6.4: the certificate of another card's account is refused
    // EMV Book 2 §6.5.2: a signature over other terminal data is refused
    @Test(arguments: [
        ("date: 2020-07-24", "date: 2049-07-24", "issuerCertificate"),
        ("1234560012345608", "1234560012345616", "iccCertificate"),
        ("1234560012345608", "2234560012345608", "issuerCertificate"),
        ("terminalData: \"01234567\"", "terminalData: \"01234568\"", "dynamicData"),
    ])
    func `an inconsistency is found at its step`(_ old: String, _ new: String, _ step: String) throws {
        let check = try check(text([old: new]))

        #expect(!check.passes)
        #expect(check.steps.last?.name.rawValue == step)
        #expect(!check.meetsExpectation)
    }

    /// The case with a list of two keys: that of the card, and one that has another modulus.
    private func severalKeys(_ index: String?) throws -> String {
        let lines = try text().split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let modulus = try #require(lines.first { $0.hasPrefix("  modulus: ") })
        var text: [String] = index.map { ["keyIndex: \"\($0)\""] } ?? []
        var isKey = false
        for line in lines {
            if line == "authority:" {
                isKey = true
                text.append(line)
                for (index, modulus) in [
                    ("93", modulus.replacingOccurrences(of: "BF08", with: "CF08")), ("92", modulus),
                ] {
                    text += ["  - rid: AFFFFFFFFF", "    index: \"\(index)\"", "  " + modulus, "    exponent: \"03\""]
                }
            } else if !line.hasPrefix("  ") {
                isKey = false
            }
            if !isKey { text.append(line) }
        }
        return text.joined(separator: "\n")
    }

    // EMV Book 2 §5.2: the card names the key of its payment system by its index
    @Test func `the key index chooses among several keys`() throws {
        #expect(try check(severalKeys("92")).passes)
        #expect(try check(severalKeys("93")).steps.last?.name == .issuerCertificate)
        #expect(throws: SettingsError.self) { try check(severalKeys("94")) }
        #expect(throws: SettingsError.self) { try check(severalKeys(nil)) }
        // With one key, the index must be its own.
        #expect(try check("keyIndex: \"92\"\n" + text()).passes)
        #expect(throws: SettingsError.self) { try check("keyIndex: \"93\"\n" + text()) }
    }

    // EMV Book 3 §10.3: the AIP is added to the static data if the tag list names it, and nothing else
    @Test func `the tag list adds the AIP, and can have no other tag`() throws {
        let data = try #require(text().split(separator: "\n").first { $0.hasPrefix("staticData: ") }).dropLast()
        let added = try check(text([String(data): String(data) + "3C00"]))
        let listed = try check("tagList: \"82\"\ninterchangeProfile: 3C00\n" + text())
        #expect(listed.steps == added.steps)
        #expect(listed.steps.last?.name == .iccCertificate && !listed.passes)
        let wrong = try check("tagList: \"8295\"\ninterchangeProfile: 3C00\n" + text())
        #expect(wrong.steps.last?.name == .staticData && !wrong.passes)
        #expect(throws: SettingsError.self) { try check("tagList: \"82\"\n" + text()) }
    }

    @Test func `a failure that was expected meets the expectation`() throws {
        let changes = [
            "terminalData: \"01234567\"": "terminalData: \"01234568\"",
            "result: passed": "result: failed\n  step: dynamicData",
        ]

        #expect(try check(text(changes)).meetsExpectation)
    }

    @Test(arguments: ["pan:", "date:", "issuer:", "authority:"])
    func `missing data is reported`(_ key: String) throws {
        let text = try text([key: "x" + key])

        #expect(throws: SettingsError.self) {
            try OfflineAuthenticationCase(text: text, file: "case.yaml")
        }
    }

    @Test func `no error repeats the account number`() throws {
        let text = try text(["1234560012345608": "12345600123456Z8"])
        do throws(SettingsError) {
            _ = try OfflineAuthenticationCase(text: text, file: "case.yaml")
            Issue.record("the account number was taken")
        } catch {
            #expect(!error.description.contains("123456"))
            #expect(error.keyPath == "pan")
        }
    }
}
