import CardSecrets
import HTTPInterface
import ScenarioRunner
import SessionViews
import Sessions
import Text

extension Views {
    /// A played scenario. What comes from the client's text is masked: it may have a card number.
    static let playedScenario = View<PlayedScenario>(
        .key("name", .text, "The name of the played scenario: that of the file, with the case in brackets.") {
            CardNumberMask.masked($0.result.name)
        },
        .key("scenarios", .list(.text), "The names of all scenarios of the file.") {
            $0.names.map { CardNumberMask.masked($0) }
        },
        .key("description", .text) { CardNumberMask.masked($0.result.description) },
        .key("tags", .list(.text)) { $0.result.tags.map { CardNumberMask.masked($0) } },
        .key("seed", .integer(0...Int.max)) { $0.result.seed },
        .key("status", .word(ScenarioResult.Status.allCases.map(\.rawValue))) { $0.result.status.rawValue },
        .key("expectedFailure", .text, "The file's reason for an expected failure.") {
            $0.result.expectedFailure.map { CardNumberMask.masked($0) }
        },
        .key("reason", .text, "The reason of a failure in one sentence.") {
            $0.result.reason.map { CardNumberMask.masked($0) }
        },
        .key("virtualMilliseconds", .integer(0...Int.max), "The duration on the session's clock.") {
            $0.result.virtualMilliseconds
        },
        .key("mismatches", .list(.named("Mismatch")), "What differs from the expectations, in order.") {
            $0.result.mismatches.map(mismatch.json)
        },
        .key("events", .list(.named("Event")), "The events of the session, the first 20,000 of more.") {
            $0.events.map(event.json)
        },
        .key("laterEvents", .count, "The number of events that are left out; absent if all are there.") {
            $0.laterEvents > 0 ? $0.laterEvents : nil
        },
        .key("decodings", .list(.named("EventDecoding")), "The exchanges with the card, decoded.") {
            $0.decodings.map(eventDecoding.json)
        })

    static let mismatch = View<Mismatch>(
        .key("step", .count, "The number of the step, from 1; absent for the whole scenario.") { $0.step },
        .key("action", .text, "The action of the step, such as `pay 12.50 USD`.") {
            $0.action.map { CardNumberMask.masked($0) }
        },
        .key("key", .text, "The key of the expectation; `step` if the step itself failed.") { $0.key },
        .key("line", .count, "The line of the expectation in the file.") { $0.line },
        .key("sentence", .text) { CardNumberMask.masked($0.sentence) },
        .key("difference", .list(.text), "The lines that differ: `-` expected, `+` seen.") {
            $0.difference.map { CardNumberMask.masked($0) }
        })

    static let eventDecoding = View<(event: Int, exchange: DecodedExchange)>(
        .key("event", .count, "The number of the event.") { $0.event },
        .key("exchange", .named("DecodedExchange")) { decodedExchange.json($0.exchange) })
}
