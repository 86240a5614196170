import Foundation
import ScenarioFormat
import Sessions
import Testing

@testable import Explorer

/// Logs that no session writes: what the models follow must show them.
@Suite("Forged logs")
struct TraceLogTests {
    private static let route = "POST /wc/v3/payments/orders/7/capture_terminal_payment"

    /// The events until the sale of order 7 is captured, and its notification is due.
    private static let sale: [TracedEvent] =
        [
            TracedEvent(process: 1, .start, "1"), TracedEvent(process: 1, .till, "direct asked"),
            TracedEvent(process: 1, .payment, payment: 1, order: 7, amount: 100),
            TracedEvent(process: 1, .capture, "planned woocommerce-payments", payment: 1, lease: 1),
            TracedEvent(process: 1, .attempt, "sale", attempt: 1, payment: 1, amount: 100, lease: 1),
            journal("created"), journal("authorizing"), host("authorize sent"),
            TracedEvent(.book, "authorisation", attempt: 1), host("authorize answered 00"), journal("captured"),
            capture("due"),
        ]

    private static func journal(_ state: String, attempt: Int64 = 1) -> TracedEvent {
        TracedEvent(process: 1, .journal, state, attempt: attempt)
    }

    private static func host(_ words: String) -> TracedEvent { TracedEvent(process: 1, .host, words, attempt: 1) }

    private static func capture(_ state: String, lease: Int64 = 1) -> TracedEvent {
        TracedEvent(process: 1, .capture, "\(state) woocommerce-payments", payment: 1, lease: lease)
    }

    private static func site(_ status: String) -> TracedEvent { TracedEvent(process: 1, .site, "\(route) \(status)") }

    /// Returns the actions of a model for the only order.
    private func actions(_ events: [TracedEvent], _ model: ModelTrace.Model) throws -> [String] {
        let traces = ModelTrace.traces(of: Self.numbered(events)).filter { $0.model == model }
        #expect(traces.count == 1)
        return try #require(traces.first).steps.map(\.action)
    }

    private static func numbered(_ events: [TracedEvent]) -> [TracedEvent] {
        events.enumerated().map { index, event in
            var event = event
            event.number = index + 1
            return event
        }
    }

    // MARK: The store

    @Test func `a request to capture before the commit of sent is a step, which the model does not have there`() throws
    {
        let asked = try actions(Self.sale + [Self.site("sent"), Self.site("200")], .store)
        #expect(asked == ["payment_taken", "send_capture"])
        let late = try actions(Self.sale + [Self.site("sent"), Self.capture("sent"), Self.capture("unknown")], .store)
        #expect(late.prefix(3) == ["payment_taken", "send_capture", "mark_sent"])
        let bare = Self.sale.filter { $0.kind != .capture || $0.detail.hasPrefix("planned") }
        #expect(try actions(bare + [Self.site("sent")], .store) == ["payment_taken", "send_capture"])
    }

    @Test func `a request is repeated without another commit only by its process, and only after a failure`() throws {
        let sent = Self.sale + [Self.capture("sent"), Self.site("sent")]
        let once = ["payment_taken", "mark_sent", "send_capture|capture_not_sent"]
        #expect(try actions(sent + [Self.site("503"), Self.site("sent"), Self.site("200")], .store) == once)
        #expect(try actions(sent + [Self.site("0"), Self.site("0"), Self.site("sent")], .store) == once)
        for repeated in [[Self.site("sent")], [Self.site("200"), Self.site("sent")]] {
            #expect(try actions(sent + repeated, .store) == once + ["send_capture"])
        }
        let twice = [Self.site("503"), Self.site("sent"), Self.site("sent")]
        #expect(try actions(sent + twice, .store) == once + ["send_capture"])
        let dead = [Self.site("503"), TracedEvent(process: 1, .crash), Self.site("sent")]
        #expect(try actions(sent + dead, .store) == once + ["crash", "crash", "send_capture"])
    }

    @Test func `a request about a payment that is not taken is a step, and so is a commit of sent for it`() throws {
        let open = Array(Self.sale.prefix(6))
        #expect(try actions(open + [Self.site("sent")], .store) == ["send_capture"])
        #expect(try actions(open + [Self.capture("sent"), Self.site("sent")], .store).first == "mark_sent")
        let unknown = try #require(ModelTrace.traces(of: [Self.site("sent")]).first)
        #expect((unknown.name, unknown.steps.map(\.action)) == ("order-7", ["send_capture"]))
    }

    @Test func `amounts that do not fit together are given back, and trap nothing`() throws {
        var events = Self.sale
        for attempt: Int64 in [2, 3] {
            events.append(
                TracedEvent(process: 1, .attempt, "refund", attempt: attempt, payment: 1, amount: .max, lease: 1))
            events += [Self.journal("created", attempt: attempt), Self.journal("captured", attempt: attempt)]
        }
        #expect(try actions(events, .store) == ["payment_taken", "payment_refunded", "payment_refunded"])
    }

    // MARK: The money

    @Test func `every commit of an attempt is a step: a second beginning, and a first one that is no beginning`() throws
    {
        let begun = Array(Self.sale.prefix(6))
        #expect(try actions(begun + [Self.journal("created")], .money) == ["begin_sale", "begin_sale"])
        let announced = Array(Self.sale.prefix(5))
        #expect(try actions(announced + [Self.journal("captured")], .money) == ["finish_captured"])
        #expect(try actions(announced + [Self.host("authorize sent")], .money) == ["send_request"])
        #expect(
            try actions(announced + [TracedEvent(.book, "authorisation", attempt: 1)], .money) == ["host_authorize"])
    }

    @Test func `a pre-authorization is followed until its approval is committed`() throws {
        let events = Self.sale.prefix(10) + [Self.journal("authorizedOnly"), Self.journal("reversing")]
        let trace = try #require(ModelTrace.traces(of: Array(events)).first)
        #expect(trace.cut == "a pre-authorization")
        #expect(trace.steps.last?.action == "finish_captured")
        let final = try #require(ModelTrace.traces(of: Self.sale + [Self.journal("authorizedOnly")]).first)
        #expect(final.steps.map(\.action).suffix(2) == ["finish_captured", "finish_captured"])
    }

    // MARK: The text

    @Test func `an event adds no line to a trace, and no line is too long for a model`() throws {
        var events = Self.sale
        events[7].detail = "authorize sent\nhidden take_approval\r\u{2028}\u{7F}" + String(repeating: "x", count: 3000)
        let trace = try #require(ModelTrace.traces(of: events).first)
        let lines = trace.text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == trace.steps.count + 2)
        #expect(lines.allSatisfy { $0.utf8.count < 1000 })
        #expect(trace.text.unicodeScalars.allSatisfy { $0 == "\n" || $0 == "\t" || !$0.breaksLine })
        #expect(!trace.text.contains("\nhidden"))
    }

    @Test func `the program and the models agree on the longest trace`() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Proof/traces/log.pml").standardized
        #expect(try String(contentsOf: file, encoding: .utf8).contains("#define LONGEST \(ModelTrace.mostSteps)\n"))
    }

    // MARK: Reading

    /// Returns what is wrong with a log; nil when nothing is.
    private func problem(_ events: [TracedEvent]) -> String? {
        var check = TraceLogCheck()
        for event in events {
            do throws(TraceLogCheck.Failure) { try check.take(event) } catch {
                return "\(event.number): \(error.description)"
            }
        }
        return nil
    }

    @Test func `a log of which a line is missing, twice, or of another session is not read`() {
        let whole = Self.numbered(Self.sale)
        #expect(problem(whole) == nil)
        #expect(problem(Array(whole.dropFirst())) == "2: event 2 where event 1 must be: a line is missing, or twice")
        for index in 1..<(whole.count - 1) {
            var part = whole
            part.remove(at: index)
            #expect(problem(part)?.hasPrefix("\(index + 2): event \(index + 2) where event \(index + 1)") == true)
        }
        #expect(problem(whole + [whole[11]])?.hasPrefix("12: event 12 where event 13 must be") == true)
    }

    @Test(arguments: [
        (0, TracedEvent(process: 2, .start, "2"), "the log does not begin with the start of process 1"),
        (0, TracedEvent(process: 1001, .start, "1001"), "the log does not begin with the start of process 1"),
        (0, TracedEvent(process: -5, .start, "-5"), "the number of the process is negative"),
        (1, TracedEvent(process: 1, .till, "direct"), "unknown till 'direct'"),
        (1, TracedEvent(process: 3, .till, "direct asked"), "process 3 does not run"),
        (2, TracedEvent(process: 1, .payment, payment: 1), "a payment without its number or its amount"),
        (2, TracedEvent(process: 1, .payment, payment: 1, amount: -1), "the amount is not in 0...10^15 minor units"),
        (2, TracedEvent(process: 1, .payment, payment: 1, amount: .max), "the amount is not in 0...10^15 minor units"),
        (2, TracedEvent(process: 1, .unreadable), "payment 1 is not announced"),
        (3, TracedEvent(process: 1, .capture, "planned x"), "a notification without its payment"),
        (3, TracedEvent(process: 1, .capture, "sold x", payment: 1), "unknown state of a notification 'sold'"),
        (
            4, TracedEvent(process: 1, .attempt, "gift", attempt: 1, payment: 1, amount: 1),
            "unknown kind of attempt 'gift'"
        ),
        (4, TracedEvent(process: 1, .unreadable), "attempt 1 is not announced"),
        (5, TracedEvent(process: 1, .start, "1"), "process 1 starts after process 1"),
        (5, TracedEvent(process: 1, .crash), "process 1 does not run"),
        (6, TracedEvent(process: 1, .till, "wire asked"), "the till has another host than before"),
        (6, TracedEvent(process: 1, .journal, "lost", attempt: 1), "unknown state of an attempt 'lost'"),
        (6, TracedEvent(process: 1, .journal, "captured", attempt: 1, payment: 77), "payment 77 is not announced"),
        (
            6, TracedEvent(process: 1, .attempt, "refund", attempt: 1, payment: 1, amount: 1),
            "attempt 1 was another one before"
        ),
        (
            7, TracedEvent(process: 1, .host, "authorize lost", attempt: 1),
            "unknown message to the host 'authorize lost'"
        ),
        (7, TracedEvent(process: 1, .host, "authorize sent"), "an event without its attempt"),
        (8, TracedEvent(.book, "gift", attempt: 1), "unknown kind of book entry 'gift'"),
        (9, TracedEvent(process: 1, .site, "GET /\nx"), "the detail has a control character or the end of a line"),
        (
            9, TracedEvent(process: 1, .site, String(repeating: "x", count: 501)),
            "the detail has 501 bytes, and at most 500 may be"
        ),
    ])
    func `a damaged line is located`(place: Int, event: TracedEvent, words: String) {
        var events = Self.sale
        events[place] = event
        #expect(problem(Self.numbered(events))?.hasSuffix(": \(words)") == true)
    }

    @Test func `a process that could not open its records starts again, and another till ends the checks`() {
        let start = TracedEvent(process: 2, .start, "2")
        let till = TracedEvent(process: 2, .till, "direct asked")
        let again = [start, TracedEvent(process: 2, .unreadable), start, till]
        #expect(problem(Self.numbered(Self.sale + again)) == nil)
        let neighbor = [
            TracedEvent(process: 1001, .start, "1001"), TracedEvent(process: 1001, .journal, "captured", attempt: 9),
        ]
        #expect(problem(Self.numbered(Self.sale + neighbor + [Self.site("sent")])) == nil)
        #expect(problem(Self.numbered(Self.sale + neighbor + [TracedEvent(process: 1, .till, "x")])) != nil)
    }

    @Test func `what sessions with faults are traced as can be read`() throws {
        let text = """
            template_version: 1
            description: a test
            site: { unpaid: [25.00], faults: ["POST /*/capture_terminal_payment #1 503"] }
            steps:
              - connect
              - pay: { order: 1 }
                during: [{ on: host authorize answered, do: crash }]
              - restart
              - connect
              - pay: { order: 1 }
              - pay: 12.50
                during: [{ on: waiting, set: { neighbor: start } }]

            """
        let scenario = try #require(try ScenarioFile.scenarios(text: text, path: "test.yaml").first)
        let record = SessionPlayer(isTraced: true).play(scenario, seed: 1)
        #expect(record.refusal == nil)
        #expect(record.traced.contains { $0.isOfSecondTill })
        #expect(problem(record.traced) == nil)
        let store = ModelTrace.traces(of: record.traced).filter { $0.model == .store }
        #expect(store.map { $0.steps.map(\.action).filter { $0.hasPrefix("send_capture") }.count } == [1])
        #expect(record.traced.count { $0.detail.hasSuffix("/capture_terminal_payment sent") } == 2)
    }
}
