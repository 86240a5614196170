import Foundation
import Testing

@Suite("Invalid input")
struct BadInputTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// Runs `pay --json` and looks at the one value it prints.
    private func expectRefusal(
        _ arguments: [String], _ status: Int32, _ code: String, saying words: String...,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let result = try Program.run(["pay"] + arguments + ["--json"], in: scratch)
        #expect(result.status == status, sourceLocation: sourceLocation)
        let object = try result.object()
        #expect(object["outcome"] as? String == "failed", sourceLocation: sourceLocation)
        let error = try #require(object["error"] as? [String: String], sourceLocation: sourceLocation)
        #expect(error["code"] == code, sourceLocation: sourceLocation)
        let told = [error["message"], error["fix"]].compactMap(\.self).joined(separator: "\n")
        for word in words {
            #expect(told.contains(word), "\(told)", sourceLocation: sourceLocation)
            #expect(result.error.contains(word), "\(result.error)", sourceLocation: sourceLocation)
        }
    }

    private func pay(_ amount: String, _ arguments: String...) -> [String] {
        [amount, "--database", scratch.database] + arguments
    }

    @Test(arguments: [
        ("12.345", "USD has 2"), ("0", "more than zero"), ("0.00", "more than zero"), ("-5", "negative"),
        ("-.5", "negative"), ("abc", "not an amount"), ("1,50", "not an amount"), ("1e3", "not an amount"),
        ("", "not an amount"), ("99999999999.00", "12 digits"), ("9223372036854775808", "12 digits"),
    ])
    func `an invalid amount is reported, and nothing is created`(amount: String, words: String) throws {
        try expectRefusal(pay(amount), 64, "invalid_amount", saying: words)
        #expect(!FileManager.default.fileExists(atPath: scratch.database))
    }

    @Test func `decimals follow the currency`() throws {
        try expectRefusal(pay("5.5", "--currency", "JPY"), 64, "invalid_amount", saying: "JPY has none")
        try expectRefusal(pay("5", "--currency", "XXY"), 64, "unknown_currency", saying: "'XXY'", "ISO 4217")
    }

    @Test func `an amount above the configuration's limit is rejected`() throws {
        let config = try scratch.write("maximumAmount: 10.00\n", to: "till.yaml")
        try expectRefusal(
            pay("10.01", "--config", config), 64, "amount_over_limit", saying: "10.00 USD", "maximumAmount")
        try Program.run(["pay"] + pay("10.00", "--config", config), in: scratch).expectStatus(0)
    }

    @Test func `an error in the configuration is reported with file, line, and key`() throws {
        let config = try scratch.write("currency: USD\nterminal:\n  contry: US\n", to: "till.yaml")
        try expectRefusal(
            pay("5", "--config", config), 78, "malformed_configuration", saying: "till.yaml:3", "contry", "country")
        try expectRefusal(
            pay("5", "--config", scratch.file("none.yaml")), 78, "malformed_configuration", saying: "none.yaml")
    }

    @Test func `the most similar card profile is suggested`() throws {
        try expectRefusal(
            pay("5", "--card", "visa-credti"), 64, "unknown_card_profile", saying: "did you mean 'visa-credit'?")
    }

    @Test func `an error in a card profile is reported with file, line, and key`() throws {
        let text = PayTests.card().replacing("2035-12-31", with: "2035-02-30")
        let card = try scratch.write(text, to: "card.yaml")
        try expectRefusal(
            pay("5", "--card", card), 65, "malformed_card_profile", saying: "card.yaml:7", "applications[0].expiry")
        try expectRefusal(
            pay("5", "--card", scratch.file("none.yaml")), 65, "malformed_card_profile", saying: "none.yaml")
    }

    @Test func `an unknown kind of reader is rejected with the valid ones`() throws {
        try expectRefusal(pay("5", "--reader", "serial"), 64, "usage", saying: "'serial'", "simulated:tpdu")
        try expectRefusal(
            pay("5", "--reader", "simulated:tpdi"), 64, "unknown_reader_model", saying: "did you mean 'tpdu'?")
        try expectRefusal(pay("5", "--reader", "usb", "--seed", "1"), 64, "seed_with_usb", saying: "--seed")
    }

    @Test func `a missing USB reader is reported, and no payment starts`() throws {
        try expectRefusal(
            pay("5", "--reader", "usb:none"), 5, "reader_not_found", saying: "unknown reader 'none'")
        #expect(try Records(of: scratch).payments.isEmpty)
    }

    @Test(arguments: [
        ["--timeout", "0"], ["--timeout", "x"], ["--order", "-1"], ["--seed", "-1"], ["--nonsense"], ["superfluous"],
    ])
    func `an unknown option is a usage error`(options: [String]) throws {
        try expectRefusal(pay("5") + options, 64, "usage")
    }

    @Test func `a trace that cannot be written prevents the payment`() throws {
        try expectRefusal(
            pay("5", "--trace", scratch.file("none/trace")), 69, "trace_not_writable", saying: "none/trace")
        #expect(try Records(of: scratch).payments.isEmpty)
    }

    @Test func `a trace only overwrites another trace`() throws {
        let notes = try scratch.write("remember the milk\n", to: "notes")
        try expectRefusal(pay("5", "--trace", notes), 64, "trace_not_a_trace", saying: "exists and is not a trace")
        #expect(try scratch.text("notes") == "remember the milk\n")
        try expectRefusal(pay("5", "--trace", scratch.database), 64, "trace_not_a_trace")
        for _ in 0..<2 {
            try Program.run(["pay"] + pay("5", "--trace", scratch.file("trace"), "--seed", "1"), in: scratch)
                .expectStatus(0)
        }
        let records = try Records(of: scratch)
        #expect(records.payments.count == 2)
    }

    @Test func `a full disk for the trace is reported and does not stop the payment`() throws {
        let result = try Program.run(["pay"] + pay("5", "--trace", "/dev/full"), in: scratch)
        #expect(result.status == 0)
        #expect(result.error.contains("'/dev/full' is incomplete"))
    }

    @Test(arguments: [
        (["payments", "show", "P000099"], "unknown_payment"), (["receipts", "show", "99"], "unknown_payment"),
        (["receipts", "print", "99", "--printer", "q"], "unknown_payment"), (["refund", "99"], "unknown_payment"),
        (["payments", "show", "nobody"], "usage"), (["payments", "list", "--limit", "0"], "usage"),
        (["receipts", "show", "1", "--width", "3"], "usage"),
    ])
    func `a missing payment is reported as JSON too`(command: [String], code: String) throws {
        try scratch.makeDatabase()
        let result = try Program.run(command + ["--database", scratch.database, "--json"], in: scratch)
        #expect(result.status == 64)
        #expect((try result.object()["error"] as? [String: Any])?["code"] as? String == code)
        #expect(!result.error.isEmpty)
    }

    @Test(arguments: [
        (["payments", "show", "P9"], "cardpresent payments list"),
        (["receipts", "cancel", "J9"], "cardpresent receipts jobs --all"),
    ])
    func `the command that lists what there is stands in single quotes`(command: [String], list: String) throws {
        try scratch.makeDatabase()
        let result = try Program.run(command + ["--database", scratch.database], in: scratch)
        #expect(result.status == 64)
        #expect(result.error.contains("with '\(list)'\n"))
        #expect(!result.error.contains("`"))
    }

    @Test func `a payment without a receipt is reported`() throws {
        try Program.run(["pay", "5", "--card", "mute", "--database", scratch.database], in: scratch).expectStatus(5)
        let result = try Program.run(["receipts", "show", "1", "--database", scratch.database, "--json"], in: scratch)
        #expect(result.status == 64)
        #expect((try result.object()["error"] as? [String: Any])?["code"] as? String == "no_receipt")
    }
}
