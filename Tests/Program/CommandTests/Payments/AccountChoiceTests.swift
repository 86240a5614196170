import Foundation
import Glibc
import Testing

/// The choice of an account (5F57), in `pay`, in `payments show`, and on the keyboard.
@Suite("The choice of an account")
struct AccountChoiceTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// A card that asks for the account type.
    private func card(_ account: String? = nil) throws -> String {
        try scratch.write(
            """
            name: with-accounts
            description: Visa card with several accounts
            applications:
              - aid: A0000000031010
                label: VISA CREDIT
                pan: 4761739001010010
                expiry: 2035-12-31
                issuerCountry: 840
                currency: USD
                languages: de
                cryptogram: cvn18
                pdol: 5F5701

            """ + (account.map { "cardholder: { choosesAccount: \($0) }\n" } ?? ""), to: "card.yaml")
    }

    private func till() throws -> String {
        try scratch.write(
            "terminal: { accountTypes: [savings, cheque] }\nreceipt: { languages: [en, de] }\n", to: "till.yaml")
    }

    private func account(_ result: ProgramResult) throws -> Any? {
        try #require(try result.object()["emv"] as? [String: Any])["accountType"]
    }

    @Test(arguments: [("savings", "savings"), ("cheque", "cheque"), ("credit", nil), ("default", nil), (nil, nil)])
    func `pay and payments show say which account a simulated cardholder chose`(
        chosen: String?, expected: String?
    ) throws {
        let paid = try Program.run(
            [
                "pay", "12.50", "--card", try card(chosen), "--config", try till(), "--database", scratch.database,
                "--json",
            ], in: scratch)
        #expect(paid.status == 0, "\(paid.error)")
        #expect(try account(paid) as? String == expected)
        #expect(try account(paid) is NSNull == (expected == nil))
        let show = ["payments", "show", "P000001", "--database", scratch.database]
        #expect(try account(Program.run(show + ["--json"], in: scratch)) as? String == expected)
        let text = try Program.run(show, in: scratch).output
        #expect(text.contains(/account +savings/) == (expected == "savings"), "\(text)")
    }

    @Test(arguments: [("2\n", "savings"), ("7\nx\n3\n", "cheque"), ("1\n", nil), ("\n", nil), ("9\n9\n9\n", nil)])
    func `the cardholder at the keyboard chooses an account, in the language of the card`(
        typed: String, expected: String?
    ) throws {
        let virtual = try VirtualReader(isForThisProcess: false)
        let file = scratch.file("field.yaml")
        let paying = try Child(
            [
                "pay", "12.50", "--reader", "pcsc:" + VirtualReader.name, "--config", try till(), "--database",
                scratch.database, "--json", "--record", file,
            ], in: scratch, environment: virtual.environment, typed: typed)
        let inserted = try virtual.card(try card(), in: scratch)
        let isDone = inserted.wait {
            let events = inserted.output.split(separator: "\n")
            return events.count { $0.contains(#""ins":"AE""#) } == 2
                && events.last?.contains("powerOff") == true
        }
        #expect(isDone, "\(inserted.output)")
        inserted.send(SIGTERM)
        _ = try inserted.result()
        let result = try paying.result()
        #expect(result.status == 0, "\(result.error)")
        #expect(try account(result) as? String == expected)
        #expect(result.error.contains("Welches Konto?"), "\(result.error)")
        #expect(result.error.contains("2  Spar"), "\(result.error)")
        // The recording repeats the choice.
        let text = try scratch.text("field.yaml")
        #expect(text.contains("chooseAccount: ") == (expected != nil), "\(text)")
        if let expected { #expect(text.contains("chooseAccount: " + expected), "\(text)") }
        let replay = try Program.run(["simulate", "run", file], in: scratch)
        #expect(replay.status == 0, "\(replay.output)\(replay.error)")
    }
}
