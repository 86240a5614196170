import Foundation
import ScenarioFormat
import Sessions
import Testing

@testable import Explorer

/// Sessions as steps of the models of Proof.
@Suite("Traces for the models")
struct ModelTraceTests {
    /// Plays a scenario with these lines after the description.
    private func record(_ lines: String, isTraced: Bool = true) throws -> SessionRecord {
        let text = "template_version: 1\ndescription: a test\n" + lines
        let scenario = try #require(try ScenarioFile.scenarios(text: text, path: "test.yaml").first)
        let record = SessionPlayer(isTraced: isTraced).play(scenario, seed: 1)
        #expect(record.refusal == nil)
        return record
    }

    private func traces(_ lines: String) throws -> [ModelTrace] {
        ModelTrace.traces(of: try record(lines).traced)
    }

    private func money(_ lines: String) throws -> [String] {
        let traces = try traces(lines).filter { $0.model == .money }
        #expect(traces.count == 1)
        return try #require(traces.first).steps.map(\.action)
    }

    private static let sale = [
        "begin_sale", "mark_authorizing", "send_request", "host_authorize", "take_approval", "finish_captured",
    ]

    @Test func `a sale is the steps of the till and of the host, in order`() throws {
        let trace = try #require(try traces("steps: [connect, { pay: 12.50 }]\n").first)
        #expect(trace.steps.map(\.action) == Self.sale)
        #expect((trace.model, trace.name, trace.cut) == (.money, "payment-1", nil))
        #expect(trace.text.hasPrefix("model money\nbegin_sale 0 0\tjournal created, attempt 1\nmark_authorizing 0 0\t"))
        #expect(trace.text.contains("\nhost_authorize 2 0\tbook authorisation, attempt 1\n"))
    }

    @Test func `a process that dies has its end in the trace, and then what the next one recovers`() throws {
        let actions = try money(
            """
            steps:
              - connect
              - pay: 12.50
                during: [{ on: host authorize answered, do: crash }]
              - restart

            """)
        #expect(
            actions == Array(Self.sale.dropLast()) + [
                "crash", "mark_reversing", "send_reversal", "host_reverse", "take_confirmation", "finish_reversed",
            ])
    }

    @Test func `all steps of a commit are there, even when the process dies at the first one`() throws {
        let store = try traces(
            """
            site: { unpaid: [25.00] }
            steps:
              - connect
              - pay: { order: 1 }
                during: [{ on: journal captured, do: crash }]

            """
        ).filter { $0.model == .store }
        #expect(store.map { $0.steps.map(\.action) } == [["payment_taken", "crash", "crash"]])
    }

    @Test func `a commit that the disk refuses is followed by its refusal`() throws {
        let actions = try money(
            """
            steps:
              - connect
              - pay: 12.50
                during: [{ on: saving captured, set: { disk: full } }]

            """)
        #expect(actions == Self.sale + ["disk_refused"])
    }

    @Test func `an order is told to the store`() throws {
        let traces = try traces("site: { unpaid: [25.00] }\nsteps: [connect, { pay: { order: 1 } }]\n")
        #expect(traces.map(\.model) == [.money, .store])
        #expect(traces.allSatisfy { $0.name.hasPrefix("order-") })
        #expect(
            traces.last?.steps.map(\.action) == [
                "payment_taken", "mark_sent", "send_capture|capture_not_sent", "record_confirmed",
            ])
        #expect(traces.last?.text.hasPrefix("model store\ntwo_tills\n") == true)
    }

    @Test func `what is not in the model ends the trace with the reason`() throws {
        let part = try #require(try traces("steps: [connect, { pay: 12.50 }, { refund: 5.00 }]\n").first)
        #expect(part.cut == "a refund of a part")
        #expect(part.steps.map(\.action) == Self.sale)
        #expect(part.text.hasPrefix("model money\ncut a refund of a part\n"))
        let whole = try #require(try traces("steps: [connect, { pay: 12.50 }, { refund: 12.50 }]\n").first)
        #expect(whole.cut == nil)
        #expect(whole.steps.map(\.action).suffix(6).first == "begin_refund")
    }

    @Test func `what was due and is unknown after a request was no try without an effect`() throws {
        let store = try traces(
            """
            site: { unpaid: [25.00], faults: ["POST /*/capture_terminal_payment always 500"] }
            steps: [connect, { pay: { order: 1 } }]

            """
        ).filter { $0.model == .store }
        #expect(
            store.map { $0.steps.map(\.action) } == [
                ["payment_taken", "mark_sent", "send_capture|capture_not_sent", "record_unknown"]
            ])
    }

    @Test func `a second till ends the traces with the reason`() throws {
        let trace = try #require(
            try traces(
                """
                steps:
                  - connect
                  - pay: 12.50
                    during: [{ on: waiting, set: { neighbor: start } }]

                """
            ).first)
        #expect(trace.cut == "a second till")
        #expect(trace.steps.map(\.action) == ["begin_sale"])
    }

    @Test func `a host behind a wire has a book that is not seen`() throws {
        let trace = try #require(
            try traces("host: { wire: iso8583, profile: iso87-ascii }\nsteps: [connect, { pay: 12.50 }]\n").first)
        #expect(trace.hidden == ["host_advise", "host_authorize", "host_reverse"])
        #expect(trace.steps.map(\.action) == Self.sale.filter { $0 != "host_authorize" })
    }

    @Test func `a trace changes nothing of the session's events`() throws {
        let lines = "site: { unpaid: [25.00] }\nsteps: [connect, { pay: { order: 1 } }, restart]\n"
        let (traced, plain) = (try record(lines), try record(lines, isTraced: false))
        #expect(traced.events == plain.events)
        #expect(plain.traced.isEmpty)
        #expect(traced.traced.map(\.number) == Array(1...traced.traced.count))
    }

    @Test func `every kind of traced event comes from a kind of event of the session`() {
        let kinds = SessionEventKind.allCases.map(\.traced)
        #expect(kinds.reduce(into: Set<TracedEvent.Kind>()) { $0.formUnion($1) } == Set(TracedEvent.Kind.allCases))
        #expect(SessionEventKind.journal.traced.contains(.journal))
        #expect(SessionEventKind.apdu.traced.isEmpty)
    }

    @Test func `every action of a trace is an action of the models`() throws {
        let table = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Proof/actions.tsv").standardized
        let rows = try String(contentsOf: table, encoding: .utf8).split(separator: "\n")
        let known = Set(rows.compactMap { $0.split(separator: "\t").first.map(String.init) })
        #expect(known.count > 50)
        var seen: Set<String> = []
        for ending in ["captured", "reversing", "authorizing", "unknown", "declined", "failed", "cancelled"] {
            for session in [[], ["authorize sent"], ["authorize sent", "authorize answered 05"]] {
                var events = [
                    TracedEvent(.start, "1"), TracedEvent(.payment, payment: 1, order: 7, amount: 100),
                    TracedEvent(.capture, "planned woocommerce-payments", payment: 1, lease: 1),
                    TracedEvent(.attempt, "sale", attempt: 1, payment: 1, amount: 100),
                    TracedEvent(.journal, "created", attempt: 1),
                ]
                events += session.map { TracedEvent(.host, $0, attempt: 1) }
                events += [TracedEvent(.journal, ending, attempt: 1), TracedEvent(.crash)]
                for state in ["due", "sent", "unknown", "due", "refused", "conflict", "confirmed"] {
                    events.append(TracedEvent(.capture, "\(state) woocommerce-payments", payment: 1, lease: 1))
                }
                for trace in ModelTrace.traces(of: events) {
                    for step in trace.steps { seen.formUnion(step.action.split(separator: "|").map(String.init)) }
                }
            }
        }
        #expect(seen.subtracting(known) == [])
        #expect(seen.isSuperset(of: ["begin_sale", "record_silence", "record_conflict", "finish_declined", "crash"]))
    }
}
