import EMV
import Foundation
import Payments
import Testing

@testable import Simulator

/// The text of an entry, against Foundation's encoder.
struct IssuerLedgerTextTests {
    private static func key(_ text: String) -> IdempotencyKey { IdempotencyKey(rawValue: text) }

    private static var full: IssuerLedgerEntry {
        var entry = IssuerLedgerEntry(
            .authorization, key: key("TERM0001/000123/2026-01-02T12:00:00"), original: key("TERM0001/000122"),
            account: "0123456789abcdef", lastFour: "0010", minorUnits: 1250, currency: "USD",
            answer: AuthorizationResponse(
                reference: "000000000001",
                answer: IssuerAnswer(
                    authorizationResponseCode: Array("10".utf8), authorizationCode: "123456",
                    issuerAuthenticationData: [0xAB, 0xCD], scriptsBeforeFinal: [[0x71, 0x00]],
                    scriptsAfterFinal: [[0x72, 0x01], [0x72]])))
        (entry.requested, entry.isHold, entry.reason, entry.rule) = (2500, true, .rule, "half \"of\" it\\")
        (entry.message, entry.counter, entry.scriptResults) = (.authorize, 65_535, "1122334455")
        entry.scriptReport = IssuerLedgerEntry.ScriptReport(commands: 2, hasFailed: true)
        return entry
    }

    private static var entries: [IssuerLedgerEntry] {
        var held = full
        (held.isHold, held.scriptReport) = (false, IssuerLedgerEntry.ScriptReport(commands: 0, hasFailed: false))
        return [
            full, held,
            IssuerLedgerEntry(.reversal, key: key(""), minorUnits: 0, currency: "XXX"),
            IssuerLedgerEntry(.notice, key: key("a\tb\nc\rd\u{1}é€😀\u{7F}"), minorUnits: -1, currency: "JPY"),
            IssuerLedgerEntry(
                .refund, key: key("r"), original: key("o"), minorUnits: .max, currency: "EUR",
                answer: AuthorizationResponse(
                    reference: "", answer: IssuerAnswer(authorizationResponseCode: Array("05".utf8)))),
        ]
    }

    @Test func `an entry as text is what the encoder writes, byte for byte`() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        for entry in Self.entries {
            #expect(entry.jsonText == String(decoding: try encoder.encode(entry), as: UTF8.self))
        }
    }

    @Test func `an entry is read from its text`() throws {
        for entry in Self.entries {
            #expect(try JSONDecoder().decode(IssuerLedgerEntry.self, from: Data(entry.jsonText.utf8)) == entry)
        }
    }
}
