import Foundation
import Testing

@Suite("Payments at contactless readers")
struct TapTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func pay(_ reader: String, _ more: String..., amount: String = "12.50") throws -> ProgramResult {
        try Program.run(
            ["pay", amount, "--reader", reader, "--seed", "7", "--database", scratch.database, "--json"] + more,
            in: scratch)
    }

    /// The payment of a command that approved it.
    private func approved(_ result: ProgramResult) throws -> [String: Any] {
        #expect(result.status == 0)
        let payment = try #require(try result.object()["payment"] as? [String: Any])
        #expect(payment["state"] as? String == "captured")
        return payment
    }

    @Test(arguments: ["simulated:contactless", "simulated:dual-interface"])
    func `a tapped card is approved, and the receipt says so`(reader: String) throws {
        let payment = try approved(try pay(reader, "--card", "k8-credit"))
        #expect(payment["entryMode"] as? String == "contactless" && payment["cvm"] as? String == "none")
        #expect(payment["brand"] as? String == "mastercard" && payment["last4"] as? String == "0015")
        let id = try #require(payment["id"] as? String)
        let receipt = try Program.run(["receipts", "show", id, "--database", scratch.database], in: scratch)
        #expect(receipt.output.contains("CONTACTLESS"))
    }

    @Test func `a tap needs no other option: the reader and the card are ones that can be tapped`() throws {
        let paid = try Program.run(["pay", "12.50", "--tap", "--database", scratch.database, "--json"], in: scratch)
        let payment = try approved(paid)
        #expect(payment["entryMode"] as? String == "contactless" && payment["last4"] as? String == "0015")
    }

    @Test func `the same seed gives the same tap`() throws {
        let runs = try ["first", "second"].map { name in
            try Program.run(
                ["pay", "12.50", "--reader", "simulated:contactless", "--card", "k8-credit", "--seed", "7", "--json"]
                    + ["--database", scratch.file(name)], in: scratch)
        }
        #expect(runs[0].output == runs[1].output)
    }

    @Test func `above the limit a phone has verified its owner, and a card's PIN goes to the issuer`() throws {
        let phone = try approved(try pay("simulated:dual-interface", "--card", "k8-phone", amount: "120"))
        #expect(phone["entryMode"] as? String == "contactless" && phone["cvm"] as? String == "device")
        let card = try approved(try pay("simulated:dual-interface", "--card", "k8-credit", amount: "120"))
        #expect(card["entryMode"] as? String == "contactless" && card["cvm"] as? String == "online_pin")
        let wrong = try pay("simulated:dual-interface", "--card", "k8-credit", "--pin", "9999", amount: "120")
        #expect(wrong.status == 2)
    }

    @Test func `a card that wants its chip is tapped, then inserted`() throws {
        let payment = try approved(try pay("simulated:dual-interface", "--card", "k8-wants-chip", amount: "120"))
        #expect(payment["entryMode"] as? String == "chip")
        let alone = try pay("simulated:contactless", "--card", "k8-wants-chip", amount: "120")
        #expect(alone.status == 5 && alone.output.contains("insert_card"))
    }

    @Test func `a card with both sides is inserted on demand`() throws {
        let payment = try approved(try pay("simulated:dual-interface", "--card", "k8-credit", "--insert"))
        #expect(payment["entryMode"] as? String == "chip")
    }

    @Test func `a tapped card declines, and a tapped payment is refunded by another process`() throws {
        let declined = try pay("simulated:contactless", "--card", "k8-decline")
        #expect(declined.status == 2 && declined.output.contains("declined_by_card"))
        let id = try #require(try approved(try pay("simulated:contactless", "--card", "k8-credit"))["id"] as? String)
        let refund = try Program.run(["refund", id, "--database", scratch.database, "--json"], in: scratch)
        #expect(refund.status == 0)
    }

    @Test func `only a card with a contactless side is held to a reader of other programs`() throws {
        let result = try Program.run(["simulate", "card", "visa-credit", "--contactless", "--json"], in: scratch)
        #expect(result.status == 64)
        #expect(result.output.contains("not_contactless") || result.error.contains("not_contactless"))
    }

    @Test func `a card with contacts alone has to be inserted`() throws {
        let result = try pay("simulated:contactless")
        #expect(result.status == 5)
        let error = try #require(try result.object()["error"] as? [String: Any])
        #expect(error["code"] as? String == "insert_card")
        #expect(error["message"] as? String == "the card cannot pay when it is tapped: insert the card")
        #expect(error["fix"] as? String == "insert the card into a chip card reader")
    }

    @Test(arguments: [[], ["--tap"], ["--insert"]])
    func `such a card pays with its chip where there is a slot, also after a tap`(options: [String]) throws {
        let arguments = [
            "pay", "12.50", "--reader", "simulated:dual-interface", "--card", "visa-credit", "--seed", "7", "--json",
        ]
        let result = try Program.run(arguments + ["--database", scratch.database] + options, in: scratch)
        #expect(result.status == 0)
        let payment = try #require(try result.object()["payment"] as? [String: Any])
        #expect(payment["entryMode"] as? String == "chip")
    }

    @Test(arguments: [
        ("simulated:tpdu", "--tap", "no card can be tapped"),
        ("simulated:contactless", "--insert", "no slot for chips"),
    ])
    func `a way that the reader does not have is refused before the payment`(
        reader: String, option: String, words: String
    ) throws {
        let result = try pay(reader, "--card", "k8-credit", option)
        #expect(result.status == 64)
        #expect((result.output + result.error).contains(words))
        #expect((result.output + result.error).contains("simulated:dual-interface"))
    }

    @Test func `an issuer that wants the chip is named, with what to do`() throws {
        let result = try pay("simulated:dual-interface", "--card", "k8-issuer-wants-chip")
        #expect(result.status == 2)
        let error = try #require(try result.object()["error"] as? [String: Any])
        #expect(error["code"] as? String == "chip_required")
        #expect(error["fix"] as? String == "nothing was charged; start again and insert the card")
    }

    @Test func `the payment says how the reader authenticated the card`() throws {
        for (card, method, result) in [
            ("k8-credit", "local", "passed"), ("k8-wrong-certificate", "local", "failed"),
            ("k8-plain", "none", "notPerformed"),
        ] {
            let paid = try pay("simulated:contactless", "--card", card)
            #expect(paid.status == 0)
            let emv = try #require(try paid.object()["emv"] as? [String: Any])
            #expect(emv["oda"] as? String == method && emv["odaResult"] as? String == result, "\(card)")
        }
    }

    @Test func `a terminal that never goes online takes no tap without a floor limit`() throws {
        let config = scratch.file("offline-only.yaml")
        try "terminal: { type: 23 }\n".write(toFile: config, atomically: true, encoding: .utf8)
        for card in ["k8-offline", "k8-plain"] {
            let result = try pay("simulated:contactless", "--card", card, "--config", config, amount: "9999.99")
            #expect(result.status == 2 && result.output.contains("declined_by_card"))
        }
    }

    @Test func `a card is presented in one way, and only by the simulated cardholder`() throws {
        #expect(try pay("simulated:dual-interface", "--tap", "--insert").status == 64)
        #expect(try pay("usb", "--tap").error.contains("require a simulated reader"))
    }
}
