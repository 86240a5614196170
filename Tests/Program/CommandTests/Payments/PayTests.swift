import Foundation
import Testing

@Suite("pay")
struct PayTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func pay(_ arguments: String...) throws -> ProgramResult {
        try Program.run(["pay"] + arguments + ["--database", scratch.database], in: scratch)
    }

    @Test func `an approved payment shows its outcome and one customer receipt, and nothing on stderr`() throws {
        let result = try pay("12.50", "--seed", "7")
        #expect(result.status == 0)
        #expect(result.error == "")
        #expect(
            result.output == """
                APPROVED  12.50 USD  P000001

                              CardPresent

                Date             2 Jan 2026 12:00:00 UTC
                Payment                          P000001
                Merchant ID              000000000000001
                Terminal ID                     00000001
                ----------------------------------------
                                  SALE
                                APPROVED

                TOTAL                             $12.50
                ----------------------------------------
                Application                  Visa Credit
                Card brand                          Visa
                AID                       A0000000031010
                Card                 **** **** **** 0010
                Entry mode                          CHIP
                Auth code                         \(try authCode())
                Response                              00
                TC                      \(try emv("cryptogram"))
                ATC                                    2
                TVR                           \(try emv("tvr"))
                TSI                                 7800
                IAD                       06011203600000
                Reference                   000000000001

                           SIGNATURE REQUIRED

                             CUSTOMER COPY
                        Please keep this receipt

                """)
    }

    private func shown() throws -> [String: Any] {
        try Program.run(["payments", "show", "P000001", "--database", scratch.database, "--json"], in: scratch).object()
    }

    private func authCode() throws -> String {
        try #require((try shown()["payment"] as? [String: Any])?["authCode"] as? String)
    }

    private func emv(_ key: String) throws -> String {
        try #require((try shown()["emv"] as? [String: Any])?[key] as? String)
    }

    @Test func `the JSON of a payment contains its record and card details`() throws {
        let result = try pay("12.50", "--json")
        #expect(result.status == 0)
        #expect(result.error == "")
        let object = try result.object()
        #expect(object["outcome"] as? String == "approved")
        #expect(object["error"] == nil)
        let payment = try #require(object["payment"] as? [String: Any])
        #expect(payment["id"] as? String == "P000001")
        #expect(payment["state"] as? String == "captured")
        #expect(payment["amount"] as? Int == 1250)
        #expect(payment["currency"] as? String == "USD")
        #expect(payment["order"] is NSNull)
        #expect(payment["brand"] as? String == "visa")
        #expect(payment["last4"] as? String == "0010")
        #expect(payment["entryMode"] as? String == "chip")
        #expect(payment["cvm"] as? String == "signature")
        #expect((payment["authCode"] as? String)?.count == 6)
        let emv = try #require(object["emv"] as? [String: Any])
        for key in ["aid", "applicationName", "tvr", "tsi", "cryptogram", "cryptogramType", "oda", "odaResult"] {
            #expect(emv[key] is String, "\(key)")
        }
    }

    @Test(arguments: [
        ("visa-credit", Int32(0), "approved", "captured"), ("insufficient-funds", 2, "declined", "declined"),
        ("declined-offline", 2, "declined", "declined"), ("mute", 5, "failed", "failed"),
        ("bad-atr", 5, "failed", "failed"), ("blocked-application", 2, "declined", "declined"),
    ])
    func `exit code, JSON, and record have the same outcome`(
        card: String, status: Int32, outcome: String, state: String
    ) throws {
        let result = try pay("12.50", "--card", card, "--json")
        #expect(result.status == status)
        let object = try result.object()
        #expect(object["outcome"] as? String == outcome)
        #expect((object["payment"] as? [String: Any])?["state"] as? String == state)
        let error = object["error"] as? [String: Any]
        #expect((error == nil) == (status == 0))
        #expect((error?["message"] as? String).map { result.error.contains($0) } ?? result.error.isEmpty)
        let records = try Records(of: scratch)
        #expect(records.states == [state])
        records.expectTruth()
    }

    @Test func `an unreachable issuer results in no approval`() throws {
        let card = try scratch.write(Self.card(account: "account:\n  reachable: false\n"), to: "card.yaml")
        let result = try pay("5", "--card", card, "--json")
        #expect([2, 4, 69].contains(try #require(result.status)))
        #expect(try result.object()["outcome"] as? String != "approved")
        try Records(of: scratch).expectTruth()
    }

    @Test func `waiting for a late card takes no real time`() throws {
        let card = try scratch.write(Self.card(cardholder: "cardholder:\n  insertsAfter: 20000\n"), to: "card.yaml")
        #expect(try pay("5", "--card", card).status == 0)
    }

    @Test func `a PIN is read from standard input, and a wrong one is rejected`() throws {
        let arguments = ["pay", "5", "--card", "pin-required", "--pin", "-", "--database", scratch.database, "--json"]
        let right = try Program.run(arguments, in: scratch, input: "1234\n")
        #expect(right.status == 0)
        #expect((try right.object()["payment"] as? [String: Any])?["cvm"] as? String == "offline_pin")
        let wrong = try Program.run(arguments, in: scratch, input: "4321\n")
        #expect((try wrong.object()["payment"] as? [String: Any])?["cvm"] as? String != "offline_pin")
    }

    @Test func `two programs take payments with one database at the same time`() throws {
        let arguments = ["pay", "1", "--database", scratch.database, "--json"]
        let children = try (0..<4).map { _ in try Child(arguments, in: scratch) }
        let results = try children.map { try $0.result() }
        #expect(results.map(\.status) == [0, 0, 0, 0])
        let records = try Records(of: scratch)
        #expect(records.captured == 400)
        records.expectTruth()
    }

    @Test func `a refund returns up to the paid amount`() throws {
        func refund(_ arguments: String...) throws -> ProgramResult {
            try Program.run(["refund", "P000001", "--database", scratch.database] + arguments, in: scratch)
        }
        try pay("5").expectStatus(0)
        #expect(try refund("--amount", "2").output == "REFUNDED  2.00 USD  P000001\n")
        let tooMuch = try refund("--amount", "9", "--json")
        #expect(tooMuch.status == 64)
        #expect(try tooMuch.object()["outcome"] as? String == "failed")
        let rest = try refund("--json")
        #expect(rest.status == 0)
        #expect(try rest.object()["outcome"] as? String == "approved")
        #expect(try refund().status == 64)
        try Records(of: scratch).expectTruth()
    }

    @Test func `a terminal shows the prompts of the reader`() throws {
        let child = try Child(["pay", "5", "--database", scratch.database], in: scratch, onTerminal: true)
        let result = try child.result()
        #expect(result.status == 0)
        #expect(result.error.hasPrefix("Insert the card …\nReading the card. Do not remove it …\n"))
        #expect(result.error.hasSuffix("Remove the card.\n"))
        #expect(result.output.hasPrefix("APPROVED"))
    }

    @Test func `a terminal speaks the language that the card chose, as soon as that is known`() throws {
        let file = try scratch.write("receipt: { languages: [en, fr] }\n", to: "till.yaml")
        let child = try Child(
            ["pay", "5", "--card", "multi-application", "--config", file, "--database", scratch.database], in: scratch,
            onTerminal: true)
        let result = try child.result()
        #expect(result.status == 0)
        #expect(
            result.error == """
                Insert the card …
                Reading the card. Do not remove it …
                Vérification du titulaire …
                Appel de l'émetteur …
                Retirez la carte.
                Paiement accepté.

                """)
        // The result is for the clerk.
        #expect(result.output.hasPrefix("APPROVED"))
    }

    @Test(arguments: ["en", "es", "fr", "de", "it", "pt", "ja", "ar"])
    func `each language of receipts has words of its own for the reader`(language: String) throws {
        let file = try scratch.write("receipt: { locale: \(language) }\n", to: "till.yaml")
        let child = try Child(
            ["pay", "5", "--config", file, "--database", scratch.database], in: scratch, onTerminal: true)
        let lines = try child.result().error.split(separator: "\n")
        // English has no line with the outcome, which the result repeats.
        #expect(lines.count == (language == "en" ? 5 : 6), "\(lines)")
        #expect(lines.contains("Insert the card …") == (language == "en"))
    }

    /// A Visa card of the test's own.
    static func card(account: String = "", cardholder: String = "") -> String {
        """
        name: own-card
        description: A card of the test's own
        applications:
          - aid: A0000000031010
            label: VISA CREDIT
            pan: "4761739001010010"
            expiry: 2035-12-31
            issuerCountry: 840
            currency: USD
            cryptogram: cvn18

        """ + account + cardholder
    }
}

extension ProgramResult {
    func expectStatus(_ expected: Int32, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(status == expected, "\(error)", sourceLocation: sourceLocation)
    }
}
