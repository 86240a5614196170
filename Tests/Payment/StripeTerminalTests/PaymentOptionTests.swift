import Terminal
import Testing
import Text

@testable import StripeTerminal

/// Parameters that would change a payment: they are carried out, or refused, and never passed over.
struct PaymentOptionTests {
    private static let payment = "amount=1250&currency=usd&payment_method_types[]=card_present"
    private static let option = "payment_method_options[card_present]"

    @Test(arguments: ["manual", "manual_preferred"])
    func `a capture method of card_present holds the amount`(method: String) throws {
        var bench = StripeBench()
        let reader = try bench.reader()
        let created = try bench.post("/v1/payment_intents", Self.payment + "&\(Self.option)[capture_method]=\(method)")
        #expect(created.text.contains(#""card_present":{"capture_method":"\#(method)""#), "\(created.text)")
        #expect(created.text.contains(#""capture_method":"automatic","client_secret""#))
        let intent = try #require(bench.terminal.books.intents.all.last?.id)
        let answer = try bench.post(
            "/v1/terminal/readers/\(reader)/process_payment_intent", "payment_intent=\(intent)")
        #expect(answer.response.status == 200)
        let begun = bench.work().compactMap { work -> TerminalRequest? in
            if case .terminal(_, .begin(let request)) = work { request } else { nil }
        }
        let request = try #require(begun.last)
        guard case .preauthorization = request.operation else {
            Issue.record("no pre-authorization")
            return
        }
        try bench.report(request.key, .waitingForCard)
        try bench.finishWithCard(request.key, try bench.approval())
        #expect(bench.terminal.books.intents[intent]?.state == .requiresCapture)
        #expect(bench.terminal.books.intents[intent]?.received == 0)
    }

    @Test func `options that ask for nothing are taken`() throws {
        var bench = StripeBench()
        let requests = ["request_extended_authorization", "request_incremental_authorization_support"]
        let options = requests.map { "&\(Self.option)[\($0)]=false" }.joined()
        let answer = try bench.post(
            "/v1/payment_intents", Self.payment + options + "&\(Self.option)[capture_method]=&confirm=false")
        #expect(answer.response.status == 200, "\(answer.text)")
        #expect(bench.terminal.books.intents.all.last?.isManual == false)
    }

    @Test(
        arguments: [
            ("payment_method_options[card_present][capture_method]=automatic", nil),
            ("payment_method_options[card_present][request_extended_authorization]=true", nil),
            ("payment_method_options[card_present][request_incremental_authorization_support]=true", nil),
            ("payment_method_options[card_present][nonsense]=1", "parameter_unknown"),
            ("payment_method_options[card][capture_method]=manual", "parameter_unknown"),
            ("payment_method_options=x", nil), ("payment_method_options[card_present]=x", nil),
            ("confirm=true", nil), ("payment_method_types[]=card", nil), ("amount=2000", nil), ("currency=eur", nil),
        ])
    func `what would change the payment and can't be done is refused`(more: String, code: String?) throws {
        var bench = StripeBench()
        let answer = try bench.post("/v1/payment_intents", Self.payment + "&" + more)
        #expect(answer.response.status == 400, "\(answer.text)")
        if let code { #expect(answer.text.contains(#""code":"\#(code)""#), "\(answer.text)") }
        #expect(bench.terminal.books.intents.all.isEmpty)
    }

    @Test func `a parameter that is given twice is named`() throws {
        var bench = StripeBench()
        let answer = try bench.post("/v1/payment_intents", Self.payment + "&amount=2000")
        #expect(answer.text.contains(#""param":"amount""#) && answer.text.contains("more than once"), "\(answer.text)")
    }

    @Test func `a capture that is not the final one is refused, and the hold stays as it is`() throws {
        var bench = StripeBench()
        let intent = try bench.sell(at: try bench.reader(), manual: true)
        let place = "/v1/payment_intents/\(intent)/capture"
        let refused = try bench.post(place, "amount_to_capture=100&final_capture=false")
        #expect(refused.response.status == 400 && refused.text.contains(#""param":"final_capture""#), "\(refused.text)")
        #expect(bench.work().isEmpty && bench.terminal.books.intents[intent]?.state == .requiresCapture)
        bench.start("POST", place, "amount_to_capture=100&final_capture=true")
        try bench.finishOffice(try bench.approval(100))
        #expect(bench.terminal.books.intents[intent]?.received == 100)
    }

    @Test func `a refund at a reader has no settings but the customer's cancellation`() throws {
        var bench = StripeBench()
        let reader = try bench.reader()
        let intent = try bench.sell(at: reader)
        let place = "/v1/terminal/readers/\(reader)/refund_payment"
        let refused = try bench.post(place, "payment_intent=\(intent)&refund_payment_config[x]=1")
        #expect(refused.response.status == 400 && refused.text.contains("refund_payment_config[x]"), "\(refused.text)")
        #expect(bench.work().isEmpty)
        bench.start(
            "POST", place, "payment_intent=\(intent)&refund_payment_config[enable_customer_cancellation]=true")
        #expect(bench.work().count == 1)
    }

    @Test func `a webhook fault is aimed at one endpoint`() throws {
        var bench = StripeBench()
        for path in ["a", "b"] {
            _ = try bench.post("/v1/webhook_endpoints", "url=http://127.0.0.1:1/\(path)&enabled_events[]=*")
        }
        let other = try #require(bench.terminal.books.endpoints.all.last?.id)
        let wrong = try bench.post("/_simulator/faults", "fault=response_lost&endpoint=\(other)")
        #expect(wrong.response.status == 400)
        #expect(try bench.post("/_simulator/faults", "fault=webhook_lost&endpoint=we_1").response.status == 400)
        _ = try bench.post("/_simulator/faults", "fault=webhook_lost&endpoint=\(other)")
        _ = try bench.intent()
        #expect(bench.terminal.takeDeliveries(at: bench.now).map(\.address) == ["http://127.0.0.1:1/a"])
        _ = try bench.intent()
        #expect(bench.terminal.takeDeliveries(at: bench.now).count == 2)
    }
}
