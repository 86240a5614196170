import Determinism
import Payments
import Terminal
import Testing

@testable import StripeTerminal

/// A terminal that stopped at some point of a payment, and starts again with what it kept.
struct RestartTests {
    private static let own = StripeOwnReader(merchant: "123456789012345", terminal: "00000001", label: "Shop")

    /// A terminal whose changes are kept, as an owner does.
    private struct Diary {
        var bench: StripeBench
        private var diary: RequestDiary

        init(_ diary: RequestDiary = RequestDiary(), seed: UInt64 = 1, _ outcome: TerminalOutcome? = nil) {
            let requests = diary.requests(endingWith: outcome)
            bench = StripeBench(seed: seed, setup: .own(RestartTests.own, access: .testKeys))
            self.diary = RequestDiary(requests, objects: diary.objects)
            bench.terminal.takeUp(requests, objects: diary.objects, offset: 0, reader: nil)
        }

        mutating func keep() {
            diary.keep(bench.terminal.takeChanges(), at: bench.now)
            diary.keep(bench.terminal.takeObjectChanges())
        }

        var requests: [KeptRequest] { diary.requests }
        var objects: [KeptObject] { diary.objects }

        /// The next start, with how an open request ended, and with other random IDs.
        func restarted(_ outcome: TerminalOutcome? = nil) -> Diary { Diary(diary, seed: 2, outcome) }

        /// The next start of a program that kept no objects.
        func restartedWithoutObjects() -> Diary { Diary(RequestDiary(diary.requests), seed: 2) }
    }

    @Test func `a payment that the host approved before the crash is found by its intent`() throws {
        var diary = Diary()
        let intent = try diary.bench.intent()
        _ = try diary.bench.process(intent, at: Self.own.id)
        diary.keep()
        var next = diary.restarted(try diary.bench.approval())
        let answer = try next.bench.send("GET", "/v1/payment_intents/\(intent)")
        #expect(answer.text.contains(#""status":"succeeded""#) && answer.text.contains(#""amount_received":1250"#))
        let reader = try next.bench.send("GET", "/v1/terminal/readers/\(Self.own.id)")
        #expect(reader.text.contains(#""status":"succeeded""#) && reader.text.contains(intent))
        // It is not charged again.
        let again = try next.bench.post(
            "/v1/terminal/readers/\(Self.own.id)/process_payment_intent", "payment_intent=\(intent)")
        #expect(again.text.contains("intent_invalid_state") && next.bench.work().isEmpty)
        #expect(next.bench.eventTypes.isEmpty)
    }

    @Test func `the charge that a till has seen keeps its ID, and is refunded after the restart`() throws {
        var diary = Diary()
        let intent = try diary.bench.sell(at: Self.own.id)
        diary.keep()
        let charge = try #require(diary.bench.terminal.books.charges.all.first?.id)
        let sale = try #require(diary.requests.first?.request.key)
        var next = diary.restarted()
        #expect(next.bench.terminal.books.intents[intent]?.charge == charge)
        next.bench.start("POST", "/v1/refunds", "payment_intent=\(intent)&amount=250")
        let work = next.bench.work()
        guard case .terminal(_, .begin(let request))? = work.first else {
            Issue.record("\(work)")
            return
        }
        guard case .giveBack(.request(sale), _) = request.operation else {
            Issue.record("\(request)")
            return
        }
        try next.bench.report(request.key, .working)
        try next.bench.finish(request.key, try next.bench.approval(250))
        next.keep()
        let last = next.restarted()
        #expect(last.bench.terminal.books.charges[charge]?.refunded == 250)
        #expect(last.bench.terminal.books.refunds.all.map(\.amount) == [250])
    }

    @Test func `a payment that never reached the host can be processed again, under another key`() throws {
        var diary = Diary()
        let intent = try diary.bench.intent()
        let first = try diary.bench.process(intent, at: Self.own.id)
        diary.keep()
        var next = diary.restarted(.failed(.internalError))
        #expect(next.bench.terminal.books.intents[intent]?.state == .requiresPaymentMethod)
        #expect(try next.bench.process(intent, at: Self.own.id) != first)
    }

    @Test func `a payment without a result is processing, and its reader busy`() throws {
        var diary = Diary()
        let intent = try diary.bench.intent()
        let key = try diary.bench.process(intent, at: Self.own.id)
        diary.keep()
        var next = diary.restarted()
        let work = next.bench.work()
        guard case .terminal(_, .recover(let request))? = work.first else {
            Issue.record("\(work)")
            return
        }
        #expect(request.key == key && next.bench.terminal.books.intents[intent]?.state == .processing)
        let other = try next.bench.intent(300)
        let refusal = try next.bench.post(
            "/v1/terminal/readers/\(Self.own.id)/process_payment_intent", "payment_intent=\(other)")
        #expect(refusal.text.contains("terminal_reader_busy"))
        try next.bench.finish(key, try next.bench.approval())
        #expect(next.bench.terminal.books.intents[intent]?.state == .succeeded)
    }

    @Test func `a hold is captured after one restart, and stays captured after the next`() throws {
        var diary = Diary()
        let intent = try diary.bench.sell(at: Self.own.id, manual: true)
        diary.keep()
        var next = diary.restarted()
        #expect(next.bench.terminal.books.intents[intent]?.state == .requiresCapture)
        next.bench.start("POST", "/v1/payment_intents/\(intent)/capture", "amount_to_capture=1000")
        try next.bench.finishOffice(try next.bench.approval(1000))
        next.keep()
        let last = next.restarted()
        #expect(last.bench.terminal.books.intents[intent]?.state == .succeeded)
        #expect(last.bench.terminal.books.intents[intent]?.received == 1000)
    }

    @Test func `a decline and a later approval of the same intent are both there after a restart`() throws {
        var diary = Diary()
        let intent = try diary.bench.intent()
        try diary.bench.finishWithCard(
            try diary.bench.process(intent, at: Self.own.id), diary.bench.decline("51"))
        diary.keep()
        try diary.bench.finishWithCard(
            try diary.bench.process(intent, at: Self.own.id), try diary.bench.approval())
        diary.keep()
        let charges = diary.bench.terminal.books.charges.all.map(\.id)
        let next = diary.restarted()
        #expect(next.bench.terminal.books.charges.all.map(\.id) == charges && charges.count == 2)
        #expect(next.bench.terminal.books.charges.all.map(\.isPaid) == [false, true])
        #expect(next.bench.terminal.books.intents[intent]?.state == .succeeded)
    }

    @Test func `locations, webhook endpoints, and intents that no reader has processed are there again`() throws {
        var diary = Diary()
        let place = "display_name=Shop&address[country]=DE&address[city]=Berlin&metadata[a]=1"
        for _ in 0..<2 { _ = try diary.bench.post("/v1/terminal/locations", place) }
        let hook = "url=http://127.0.0.1:1/&enabled_events[]=*&description=all"
        for _ in 0..<2 { _ = try diary.bench.post("/v1/webhook_endpoints", hook) }
        diary.keep()
        let locations = diary.bench.terminal.books.locations.all.map(\.id)
        let endpoints = diary.bench.terminal.books.endpoints.all.map(\.id)
        _ = try diary.bench.send("DELETE", "/v1/terminal/locations/\(locations[0])")
        _ = try diary.bench.post("/v1/terminal/locations/\(locations[1])", "display_name=Other")
        _ = try diary.bench.send("DELETE", "/v1/webhook_endpoints/\(endpoints[0])")
        _ = try diary.bench.post("/v1/webhook_endpoints/\(endpoints[1])", "disabled=true")
        let (open, canceled) = (try diary.bench.intent(300, manual: true), try diary.bench.intent(400))
        _ = try diary.bench.post("/v1/payment_intents/\(open)", "amount=350&metadata[order]=17&description=Tea")
        _ = try diary.bench.post("/v1/payment_intents/\(canceled)/cancel", "cancellation_reason=abandoned")
        diary.keep()
        var next = diary.restarted()
        for list in ["payment_intents", "terminal/locations", "webhook_endpoints"] {
            let (before, after) = (
                try diary.bench.send("GET", "/v1/\(list)"), try next.bench.send("GET", "/v1/\(list)")
            )
            #expect(after.text == before.text)
        }
        #expect(next.bench.terminal.books.endpoints.all == diary.bench.terminal.books.endpoints.all)
        #expect(next.bench.eventTypes.isEmpty)
        // The intent can be paid.
        let key = try next.bench.process(open, at: Self.own.id)
        try next.bench.finishWithCard(key, try next.bench.approval(350))
        #expect(next.bench.terminal.books.intents[open]?.state == .requiresCapture)
    }

    @Test func `what a till changed after the payment is there again, and nothing is paid again`() throws {
        var diary = Diary()
        let intent = try diary.bench.sell(at: Self.own.id)
        diary.keep()
        _ = try diary.bench.post("/v1/payment_intents/\(intent)", "metadata[order]=18")
        diary.keep()
        var next = diary.restarted()
        let before = try diary.bench.send("GET", "/v1/payment_intents/\(intent)")
        #expect(try next.bench.send("GET", "/v1/payment_intents/\(intent)").text == before.text)
        let older = diary.restartedWithoutObjects()
        #expect(older.bench.terminal.books.intents[intent]?.state == .succeeded)
        #expect(older.bench.terminal.books.intents[intent]?.metadata.isEmpty == true)
        let process = "/v1/terminal/readers/\(Self.own.id)/process_payment_intent"
        #expect(try next.bench.post(process, "payment_intent=\(intent)").text.contains("intent_invalid_state"))
    }

    @Test func `an intent that was found to be paid after a crash stays paid when its request is too old`() throws {
        var diary = Diary()
        let intent = try diary.bench.intent()
        _ = try diary.bench.process(intent, at: Self.own.id)
        diary.keep()
        var next = diary.restarted(try diary.bench.approval())
        #expect(next.bench.terminal.books.intents[intent]?.state == .succeeded)
        next.keep()
        var old = RequestDiary()
        old.keep(next.objects)
        var last = Diary(old, seed: 3)
        #expect(last.bench.terminal.books.intents[intent]?.state == .succeeded)
        let process = "/v1/terminal/readers/\(Self.own.id)/process_payment_intent"
        #expect(try last.bench.post(process, "payment_intent=\(intent)").text.contains("intent_invalid_state"))
    }

    @Test func `an intent whose request is too old to be known stays paid`() throws {
        var diary = Diary()
        let intent = try diary.bench.sell(at: Self.own.id)
        diary.keep()
        var old = RequestDiary()
        old.keep(diary.objects)
        var next = Diary(old, seed: 2)
        #expect(next.bench.terminal.books.intents[intent]?.state == .succeeded)
        let process = "/v1/terminal/readers/\(Self.own.id)/process_payment_intent"
        #expect(try next.bench.post(process, "payment_intent=\(intent)").text.contains("intent_invalid_state"))
    }
}
