import Payments
import Terminal
import Testing

@testable import StripeTerminal

/// Payments that a clerk, or a till of another protocol, changed in the same journal.
struct StandingTests {
    private func charge(of intent: String, _ bench: StripeBench) throws -> StripeCharge {
        try #require(
            bench.terminal.books.intents[intent]?.charge.flatMap { bench.terminal.books.charges[$0] })
    }

    @Test func `a capture that somebody else made is the reason why the till's is refused`() throws {
        var bench = StripeBench()
        let intent = try bench.sell(at: try bench.reader(), manual: true)
        let call = bench.start("POST", "/v1/payment_intents/\(intent)/capture", "amount_to_capture=1250")
        let work = bench.work()
        guard case .terminal(_, .begin(let request))? = work.last else {
            Issue.record("no capture")
            return
        }
        let taken = try charge(of: intent, bench)
        #expect(bench.terminal.payment(changedBy: request.key) == taken.key)
        try bench.report(request.key, .working)
        bench.terminal.correct(taken.key, by: .charged(1000, refunded: 200), isNews: true, at: bench.now)
        try bench.finish(request.key, .failed(.notReversible))
        let answer = try #require(bench.answers().first { $0.call == call })
        #expect(answer.response.status == 400 && answer.text.contains("payment_intent_unexpected_state"))
        #expect(answer.text.contains("has the status succeeded"), "\(answer.text)")
        #expect(bench.terminal.books.intents[intent]?.received == 1000)
        let charge = try charge(of: intent, bench)
        #expect(charge.captured == 1000 && charge.refunded == 450)
        #expect(bench.eventTypes.suffix(3) == ["charge.captured", "payment_intent.succeeded", "charge.refunded"])
    }

    @Test func `a hold that somebody else released is canceled, and told once`() throws {
        var bench = StripeBench()
        let intent = try bench.sell(at: try bench.reader(), manual: true)
        let key = try charge(of: intent, bench).key
        for _ in 0..<2 { bench.terminal.correct(key, by: .released, isNews: true, at: bench.now) }
        let answer = try bench.send("GET", "/v1/payment_intents/\(intent)")
        #expect(answer.text.contains(#""status":"canceled""#) && answer.text.contains(#""amount_capturable":0"#))
        #expect(bench.eventTypes.count { $0 == "payment_intent.canceled" } == 1)
    }

    @Test func `what the journal says as the objects do changes nothing`() throws {
        var bench = StripeBench()
        let reader = try bench.reader()
        let (sale, hold) = (try bench.sell(at: reader), try bench.sell(300, at: reader, manual: true))
        let (events, saleKey) = (bench.eventTypes, try charge(of: sale, bench).key)
        bench.terminal.correct(saleKey, by: .charged(1250, refunded: 0), isNews: true, at: bench.now)
        bench.terminal.correct(try charge(of: hold, bench).key, by: .held, isNews: true, at: bench.now)
        #expect(bench.eventTypes == events)
        #expect(bench.terminal.books.intents[hold]?.state == .requiresCapture)
        #expect(bench.terminal.payments.count == 2)
    }

    @Test(arguments: [
        ("GET", "/v1/payment_intents/INTENT", ""), ("POST", "/v1/payment_intents/INTENT/capture", ""),
        ("GET", "/v1/charges/CHARGE", ""), ("POST", "/v1/refunds", "payment_intent=INTENT"),
        ("POST", "/v1/refunds", "charge=CHARGE&amount=5"), ("GET", "/v1/refunds?payment_intent=INTENT", ""),
    ])
    func `a request names the payment that it is about`(method: String, target: String, form: String) throws {
        var bench = StripeBench()
        let intent = try bench.sell(at: try bench.reader())
        let charge = try charge(of: intent, bench)
        func request(_ key: String) -> StripeRequest {
            func named(_ text: String) -> String {
                text.replacing("INTENT", with: intent).replacing("CHARGE", with: charge.id)
            }
            return StripeRequest(
                method: method, target: named(target), headers: [.init("Authorization", "Bearer \(key)")],
                body: Array(named(form).utf8))
        }
        #expect(bench.terminal.payment(of: request("sk_test_1")) == charge.key)
        #expect(bench.terminal.payment(of: request("pk_test_1")) == nil)
        // While a refund runs, its end says what became of the payment.
        bench.start("POST", "/v1/refunds", "payment_intent=\(intent)")
        #expect(bench.terminal.payment(of: request("sk_test_1")) == nil)
    }
}
