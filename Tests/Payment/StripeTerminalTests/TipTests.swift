import Money
import Payments
import Terminal
import Testing

@testable import StripeTerminal

/// Tips that customers add at readers.
struct TipTests {
    private func helper(_ reader: String) -> String {
        "/v1/test_helpers/terminal/readers/\(reader)/present_payment_method"
    }

    private func dollars(_ cents: Int64) throws -> Money {
        try Money(minorUnits: cents, currency: try Currency(code: "USD"))
    }

    @Test(arguments: [false, true])
    func `a tip is charged with the amount, and the intent shows both`(isHeld: Bool) throws {
        var bench = StripeBench()
        let reader = try bench.reader()
        let intent = try bench.intent(1000, manual: isHeld)
        let key = try bench.process(intent, at: reader)
        bench.start("POST", helper(reader), "amount_tip=150")
        #expect(
            bench.work() == [
                .tip(try dollars(150), key, reader: reader), .present(.standard, key, reader: reader),
            ])
        try bench.finishWithCard(key, try bench.approval(1150))
        let text = try bench.send("GET", "/v1/payment_intents/\(intent)?expand[]=latest_charge").text
        #expect(text.contains(#""amount":1150,"#) && text.contains(#""amount_details":{"tip":{"amount":150}}"#))
        #expect(text.contains(isHeld ? #""amount_capturable":1150"# : #""amount_received":1150"#))
        #expect(bench.terminal.books.charges.all.map(\.amount) == [1150])
    }

    @Test func `a decline leaves the intent without the tip`() throws {
        var bench = StripeBench()
        let reader = try bench.reader()
        let intent = try bench.intent(1000)
        let key = try bench.process(intent, at: reader)
        bench.start("POST", helper(reader), "amount_tip=150")
        try bench.finishWithCard(key, bench.decline("51"))
        #expect(bench.terminal.books.charges.all.map(\.amount) == [1150])
        let kept = try #require(bench.terminal.books.intents[intent])
        #expect(kept.amount == 1000 && kept.tip == nil)
    }

    @Test func `what was charged counts, also when it is without the tip`() throws {
        var bench = StripeBench()
        let reader = try bench.reader()
        let intent = try bench.intent(1000)
        let key = try bench.process(intent, at: reader)
        bench.start("POST", helper(reader), "amount_tip=150")
        try bench.finishWithCard(key, try bench.approval(1000))
        let kept = try #require(bench.terminal.books.intents[intent])
        #expect(kept.amount == 1000 && kept.tip == 0)
    }

    @Test func `a reader asks for no tip where the till skips it`() throws {
        var bench = StripeBench()
        let reader = try bench.reader()
        let intent = try bench.intent(1000)
        let place = "/v1/terminal/readers/\(reader)/process_payment_intent"
        let form = "payment_intent=\(intent)&process_config[skip_tipping]=true"
        #expect(try bench.post(place, form).text.contains(#""skip_tipping":true"#))
        let key = try #require(bench.terminal.desks[reader]?.running)
        try bench.report(key, .waitingForCard)
        _ = bench.work()
        let answer = try bench.post(helper(reader), "amount_tip=1")
        #expect(answer.response.status == 400 && answer.text.contains(#""param":"amount_tip""#))
        #expect(bench.work().isEmpty)
    }

    @Test func `amount and tip together have a limit`() throws {
        var bench = StripeBench()
        let reader = try bench.reader()
        _ = try bench.process(try bench.intent(99_999_000), at: reader)
        #expect(try bench.post(helper(reader), "amount_tip=1000").text.contains(#""code":"amount_too_large""#))
        #expect(bench.work().isEmpty)
    }

    @Test func `the configuration of a tip is shown, and refused where readers ask for none`() throws {
        let form = "&process_config[tipping][amount_eligible]=900"
        var bench = StripeBench()
        let reader = try bench.reader()
        let place = "/v1/terminal/readers/\(reader)/process_payment_intent"
        let answer = try bench.post(place, "payment_intent=\(try bench.intent())" + form)
        #expect(answer.text.contains(#""tipping":{"amount_eligible":900}"#))
        let own = StripeOwnReader(merchant: "123456789012345", terminal: "00000001", label: "Shop")
        for setup in [StripeSetup.steered, .own(own, access: .testKeys)] {
            var other = StripeBench(setup: setup)
            let reader = setup.reader == nil ? try other.reader() : own.id
            let place = "/v1/terminal/readers/\(reader)/process_payment_intent"
            let answer = try other.post(place, "payment_intent=\(try other.intent())" + form)
            #expect(answer.response.status == 400)
            #expect(answer.text.contains(#""param":"process_config[tipping]""#))
            #expect(other.work().isEmpty)
        }
    }

    @Test func `only a payment or a hold takes a tip, and only one`() throws {
        func request(_ operation: TerminalOperation) -> TerminalRequest {
            TerminalRequest(key: IdempotencyKey(rawValue: "k"), till: TillID(rawValue: "t"), operation: operation)
        }
        let (amount, tip) = (try dollars(1000), try dollars(150))
        let paid = try #require(request(.payment(amount: amount)).adding(tip: tip))
        #expect(paid.operation == .payment(amount: try dollars(1150), tip: tip))
        #expect(paid.adding(tip: tip) == nil && request(.refund(amount: amount)).adding(tip: tip) == nil)
        let euros = try Money(minorUnits: 1, currency: try Currency(code: "EUR"))
        #expect(request(.preauthorization(amount: amount)).adding(tip: euros) == nil)
    }
}
