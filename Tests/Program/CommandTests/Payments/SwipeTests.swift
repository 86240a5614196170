import Foundation
import Testing

@Suite("Payments with swiped cards")
struct SwipeTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func pay(_ reader: String, _ card: String, _ more: String...) throws -> ProgramResult {
        try Program.run(
            ["pay", "12.50", "--reader", reader, "--card", card, "--seed", "7", "--database", scratch.database] + more,
            in: scratch)
    }

    @Test(arguments: ["simulated:msr", "simulated:msr-fixed", "simulated:msr-keyboard", "simulated:combo"])
    func `a card without a chip is approved, and the receipt says that it was swiped`(reader: String) throws {
        let result = try pay(reader, "stripe-only")
        #expect(result.status == 0)
        #expect(result.output.contains("Card                 **** **** **** 7014"))
        #expect(result.output.contains("Entry mode                        SWIPED"))
        #expect(!result.output.contains("AID"))
    }

    @Test func `a swiped chip card must be inserted`() throws {
        let result = try pay("simulated:msr", "visa-credit", "--json")
        #expect(result.status == 5)
        let told = try result.object()
        #expect(told["outcome"] as? String == "failed")
        #expect((told["error"] as? [String: Any])?["code"] as? String == "chip_card_swiped")
        #expect((told["error"] as? [String: Any])?["message"] as? String == "the card has a chip: insert it")
    }

    @Test func `a card with a dead chip is swiped at a combined reader, and nowhere else`() throws {
        let result = try pay("simulated:combo", "damaged-chip", "--json")
        #expect(result.status == 0)
        let payment = try #require(try result.object()["payment"] as? [String: Any])
        #expect(payment["entryMode"] as? String == "fallback")
        #expect(payment["last4"] as? String == "7105")
        #expect(try pay("simulated:tpdu", "damaged-chip").status == 5)
    }

    @Test func `the configuration can forbid all swipes, or only fallback`() throws {
        let file = scratch.file("till.yaml")
        try "terminal: { magstripe: { fallback: false } }\n".write(toFile: file, atomically: true, encoding: .utf8)
        #expect(try pay("simulated:combo", "damaged-chip", "--config", file).status == 5)
        #expect(try pay("simulated:combo", "stripe-only", "--config", file).status == 0)
        try "terminal: { magstripe: { enabled: false } }\n".write(toFile: file, atomically: true, encoding: .utf8)
        #expect(try pay("simulated:combo", "stripe-only", "--config", file).status == 5)
        #expect(try pay("simulated:combo", "visa-credit", "--config", file).status == 0)
        let none = try pay("simulated:msr", "stripe-only", "--config", file, "--json")
        #expect((try none.object()["error"] as? [String: Any])?["code"] as? String == "reader_not_found")
    }

    @Test func `an unreadable stripe must be swiped again, even without a reason from the reader`() throws {
        for reader in ["simulated:msr", "simulated:msr-fixed"] {
            let result = try pay(reader, "stripe-bad-lrc")
            #expect(result.status == 5)
            #expect(result.error.contains("swipe the card again"))
        }
    }

    @Test func `a reader that enciphers its tracks is reported as such`() throws {
        let result = try pay("simulated:msr-encrypted", "stripe-only", "--json")
        #expect(result.status == 5)
        #expect((try result.object()["error"] as? [String: Any])?["code"] as? String == "reader_incompatible")
    }

    @Test(
        arguments: [
            ("stripe-wrong-cvv", "82"), ("stripe-national", "62"), ("stripe-expired", nil), ("stripe-cash-only", nil),
        ]
            as [(String, String?)])
    func `a declined payment exits with 2`(card: String, code: String?) throws {
        let result = try pay("simulated:msr", card, "--json")
        #expect(result.status == 2)
        let emv = try #require(try result.object()["emv"] as? [String: Any])
        #expect(emv["responseCode"] as? String == code)
    }

    @Test func `the same seed gives the same record, swiped or not`() throws {
        let first = try pay("simulated:combo", "damaged-chip", "--json")
        let other = try Scratch()
        let second = try Program.run(
            [
                "pay", "12.50", "--reader", "simulated:combo", "--card", "damaged-chip", "--seed", "7", "--database",
                other.database, "--json",
            ], in: other)
        #expect(first.output == second.output)
    }

    @Test func `the list of readers includes magnetic stripe readers`() throws {
        let readers = try Program.run(["readers", "list", "--simulated", "--json"], in: scratch).list()
        let stripes = readers.filter { $0["readerType"] as? String == "magneticStripe" }
        #expect(stripes.count == 4)
        #expect(stripes.allSatisfy { $0["inputs"] as? [String] == ["swipe"] && $0["slotCount"] as? Int == 0 })
        #expect(readers.contains { $0["inputs"] as? [String] == ["insert", "swipe"] })
        let id = try #require(stripes.first?["id"] as? String)
        let info = try Program.run(["readers", "info", id, "--simulated"], in: scratch)
        #expect(info.status == 0)
        #expect(info.output.contains("inputs        swipe"))
    }
}
