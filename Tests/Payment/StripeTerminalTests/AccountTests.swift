import Determinism
import Payments
import Terminal
import Testing
import Text

@testable import StripeTerminal

/// Calls of tills and what follows from them, without sockets.
struct AccountTests {
    @Test func `a payment goes from the intent over the reader to charge, capture, and refund`() throws {
        var bench = StripeBench()
        let reader = try bench.reader()
        let intent = try bench.sell(1250, at: reader, manual: true)
        #expect(bench.terminal.books.intents[intent]?.state == .requiresCapture)
        #expect(bench.terminal.books.readers[reader]?.action?.state == .succeeded)

        bench.start("POST", "/v1/payment_intents/\(intent)/capture", "amount_to_capture=1000")
        #expect(bench.answers().isEmpty)
        try bench.finishOffice(try bench.approval(1000))
        #expect(bench.answers().map(\.response.status) == [200])
        let captured = try #require(bench.terminal.books.intents[intent])
        #expect((captured.state, captured.received) == (.succeeded, 1000))

        bench.start("POST", "/v1/refunds", "payment_intent=\(intent)&amount=400")
        try bench.finishOffice(try bench.approval(400))
        let answer = try #require(bench.answers().first)
        #expect(answer.text.contains(#""status":"succeeded""#))
        #expect(
            bench.eventTypes == [
                "payment_intent.created", "charge.succeeded", "payment_intent.amount_capturable_updated",
                "terminal.reader.action_succeeded", "charge.captured", "payment_intent.succeeded", "refund.created",
                "charge.refunded",
            ])
    }

    @Test func `the same requests get the same bytes`() throws {
        func play() throws -> [[UInt8]] {
            var bench = StripeBench(seed: 7)
            let reader = try bench.reader()
            _ = try bench.sell(at: reader)
            return [
                try bench.send("GET", "/v1/charges").response.body, try bench.send("GET", "/v1/events").response.body,
            ]
        }
        #expect(try play() == (try play()))
    }

    @Test func `a decline leaves the intent for the next card, with the words of the protocol`() throws {
        var bench = StripeBench()
        let reader = try bench.reader()
        let intent = try bench.intent()
        try bench.finishWithCard(try bench.process(intent, at: reader), bench.decline("51"))
        let action = try #require(bench.terminal.books.readers[reader]?.action)
        #expect((action.state, action.failureCode) == (.failed, "card_declined"))
        let answer = try bench.send("GET", "/v1/payment_intents/\(intent)?expand[]=latest_charge")
        #expect(answer.text.contains(#""decline_code":"insufficient_funds""#))
        #expect(answer.text.contains(#""status":"requires_payment_method""#))
        #expect(answer.text.contains(#""network_decline_code":"51""#))
        try bench.finishWithCard(try bench.process(intent, at: reader), try bench.approval())
        #expect(bench.terminal.books.intents[intent]?.state == .succeeded)
    }

    @Test func `a payment that waits for a card is replaced, and one with a card is not`() throws {
        var bench = StripeBench()
        let reader = try bench.reader()
        let (first, second) = (try bench.intent(), try bench.intent(500))
        let key = try bench.process(first, at: reader)
        let place = "/v1/terminal/readers/\(reader)/process_payment_intent"
        bench.start("POST", place, "payment_intent=\(second)")
        #expect(bench.work() == [.terminal(reader: reader, .cancel(key, .byTill))])
        try bench.finish(key, .canceled(.byTill))
        #expect(bench.answers().map(\.response.status) == [200])
        let next = try #require(bench.terminal.desks[reader]?.running)
        try bench.report(next, .waitingForCard, .cardPresented)
        let answer = try bench.post(place, "payment_intent=\(first)")
        #expect(answer.response.status == 400)
        #expect(answer.text.contains(#""code":"terminal_reader_busy""#))
        let cancel = try bench.post("/v1/terminal/readers/\(reader)/cancel_action")
        #expect(cancel.text.contains(#""code":"terminal_reader_busy""#))
    }

    @Test func `a canceled action is gone, and makes no event`() throws {
        var bench = StripeBench()
        let reader = try bench.reader()
        let key = try bench.process(try bench.intent(), at: reader)
        bench.start("POST", "/v1/terminal/readers/\(reader)/cancel_action")
        try bench.finish(key, .canceled(.byTill))
        let answer = try #require(bench.answers().first)
        #expect(answer.text.contains(#""action":null"#))
        #expect(bench.eventTypes == ["payment_intent.created"])
        #expect(try bench.post("/v1/terminal/readers/\(reader)/cancel_action").response.status == 404)
    }

    @Test func `a card is presented only where a reader waits for one`() throws {
        var bench = StripeBench()
        let reader = try bench.reader()
        let place = "/v1/test_helpers/terminal/readers/\(reader)/present_payment_method"
        #expect(try bench.post(place).response.status == 400)
        let key = try bench.process(try bench.intent(), at: reader)
        #expect(try bench.post(place, "card_present[number]=4111111111111111").response.status == 400)
        bench.start("POST", place)
        #expect(bench.work() == [.present(.standard, key, reader: reader)])
        try bench.finishWithCard(key, try bench.approval())
        #expect(bench.answers().first?.text.contains(#""status":"succeeded""#) == true)
    }

    @Test func `readers that are offline or do not answer refuse actions`() throws {
        var bench = StripeBench()
        let reader = try bench.reader()
        let intent = try bench.intent()
        let place = "/v1/terminal/readers/\(reader)/process_payment_intent"
        _ = try bench.post("/_simulator/faults", "fault=reader_offline&reader=\(reader)")
        #expect(try bench.post(place, "payment_intent=\(intent)").text.contains("terminal_reader_offline"))
        _ = try bench.send("DELETE", "/_simulator/faults")
        _ = try bench.post("/_simulator/faults", "fault=reader_timeout")
        #expect(try bench.post(place, "payment_intent=\(intent)").text.contains("terminal_reader_timeout"))
        #expect(bench.work().isEmpty)
        _ = try bench.post("/_simulator/faults", "fault=reader_timeout_received")
        #expect(try bench.post(place, "payment_intent=\(intent)").text.contains("terminal_reader_timeout"))
        #expect(bench.work().count == 1)
    }

    @Test func `refunds never give back more than was captured`() throws {
        var bench = StripeBench()
        let reader = try bench.reader()
        let intent = try bench.sell(1000, at: reader)
        bench.start("POST", "/v1/refunds", "payment_intent=\(intent)&amount=700")
        // The first one is still under way.
        let second = try bench.post("/v1/refunds", "payment_intent=\(intent)&amount=400")
        #expect(second.response.status == 400)
        try bench.finishOffice(try bench.approval(700))
        bench.start("POST", "/v1/refunds", "payment_intent=\(intent)")
        try bench.finishOffice(try bench.approval(300))
        #expect(bench.terminal.books.charges.all.first?.refunded == 1000)
        let third = try bench.post("/v1/refunds", "payment_intent=\(intent)")
        #expect(third.text.contains("charge_already_refunded"))
    }

    @Test func `a refund that the host refuses has failed, and another one is possible`() throws {
        var bench = StripeBench()
        let reader = try bench.reader()
        let intent = try bench.sell(1000, at: reader)
        bench.start("POST", "/v1/refunds", "payment_intent=\(intent)")
        try bench.finishOffice(.failed(.notReversible))
        #expect(bench.answers().last?.text.contains(#""status":"failed""#) == true)
        #expect(bench.eventTypes.last == "refund.failed")
        #expect(bench.terminal.books.refundable(try #require(bench.terminal.books.charges.all.first)) == 1000)
    }

    @Test func `a refund at a reader is an action of it`() throws {
        var bench = StripeBench()
        let reader = try bench.reader()
        let intent = try bench.sell(1000, at: reader)
        bench.start("POST", "/v1/terminal/readers/\(reader)/refund_payment", "payment_intent=\(intent)&amount=100")
        try bench.finishOffice(try bench.approval(100))
        #expect(bench.answers().first?.text.contains(#""type":"refund_payment""#) == true)
        #expect(bench.terminal.books.readers[reader]?.action?.state == .succeeded)
        #expect(bench.eventTypes.suffix(2) == ["charge.refunded", "terminal.reader.action_succeeded"])
    }

    @Test func `a cart is shown at once, and ends what waits for a card`() throws {
        var bench = StripeBench()
        let reader = try bench.reader()
        bench.start(
            "POST", "/v1/terminal/readers/\(reader)/set_reader_display",
            "type=cart&cart[currency]=usd&cart[total]=1250&cart[line_items][0][amount]=1250"
                + "&cart[line_items][0][description]=Tea&cart[line_items][0][quantity]=2")
        let key = try #require(bench.terminal.desks[reader]?.running)
        #expect(
            bench.work() == [
                .terminal(
                    reader: reader,
                    .begin(
                        TerminalRequest(
                            key: key, till: TillID(rawValue: "stripe"),
                            operation: .display(["2 Tea 12.50", "Total 12.50 USD"]))))
            ])
        try bench.report(key, .working)
        try bench.finish(key, .done(TerminalReport()))
        #expect(bench.answers().first?.text.contains(#""status":"succeeded""#) == true)
    }
}
