import Determinism
import HTTPInterface
import Sessions
import Simulator

/// The current state of a session.
struct SessionState: Sendable {
    let served: ServedSession
    let devices: ServedSession.Devices
    let events: [SessionEvent]
}

extension Views {
    static let session = View<SessionState>(
        .key("id", .text) { $0.served.id },
        .key("seed", .integer(0...Int(Int32.max))) { $0.served.plan.plan.seed },
        .key("clock", .named("Clock")) { clock.json($0.served.session) },
        .key("running", .word(Operation.Kind.allCases.map(\.rawValue)), "The running operation.") {
            $0.served.operation?.kind.rawValue
        },
        .key("waitingFor", .named("Need"), "The action that a person must take; absent if there is none.") {
            $0.served.operation == nil ? nil : $0.served.session.need.map(need.json)
        },
        .key("display", .text, "The text on the reader's display, in English; absent when it shows none.") {
            SessionEvent.shownText(after: $0.events)
        },
        .key("readers", .list(.named("Reader"))) { $0.devices.readers.map(reader.json) },
        .key("cards", .list(.named("Card"))) { $0.served.plan.plan.cards.map(plannedCard.json) },
        .key("issuerRules", .word(IssuerRulesLibrary.names), "The built-in rules of the issuer in the plan.") {
            $0.served.plan.rulesName
        },
        .key("issuerFaults", .list(.named("StandingFault")), "The faults that still affect messages to the issuer.") {
            $0.devices.issuerFaults.map(standingFault.json)
        },
        .key("printer", ConditionBodies.words(SimulatedPrinterCondition.self)) { $0.served.printer.word },
        .key("disk", ConditionBodies.words(DiskCondition.self)) { $0.served.disk.word },
        .key("processRuns", .boolean, "Whether the till's process is running: false after a crash, until a restart.") {
            $0.served.session.isRunning
        },
        .key("events", .count, "The number of events.") { $0.events.count },
        .key(
            "eventHash", .text,
            "A hash of the events so far. A session with the same plan and requests has the same one."
        ) { $0.served.eventHash(of: $0.events) },
        .key("pausedAfter", .count, "The event after which the session is paused; absent while it is not.") {
            $0.served.gate.pausedAfter
        },
        .key("breakpoints", .list(.text), "The beginnings of events after which the session pauses.") {
            $0.served.gate.breakpoints
        })

    static let clock = View<SimulatedSession>(
        .key("now", .format("date-time")) { $0.now.description },
        .key("elapsedMilliseconds", .integer(0...Int.max), "The time since the start of the session.") {
            $0.elapsed.milliseconds
        })

    static let need = View<SessionNeed>(
        .key("kind", .word(["card", "removal", "pin", "application"])) { $0.kind },
        .key("ways", .list(.text), "The possible ways to present the card: `insert`, `swipe`, `tap`.") { $0.ways },
        .key("isRetry", .boolean, "Whether the previous PIN was wrong.") { $0.pin?.isRetry },
        .key("triesLeft", .integer(0...255), "The remaining PIN tries, if the card reports them.") {
            $0.pin?.triesLeft
        },
        .key("typedDigits", .integer(0...255), "The number of PIN digits entered.") { $0.pin?.typedDigits },
        .key("applications", .list(.text), "The applications to select from, by number from 0.") { $0.applications })

    static let reader = View<SessionReaderState>(
        .key("name", .text) { $0.name }, .key("model", .word(ReaderBody.models)) { $0.model },
        .key("pluggedIn", .boolean) { $0.isPluggedIn },
        .key("connected", .boolean, "Whether the till is connected to the reader.") { $0.isConnected },
        .key("hasCard", .boolean) { $0.hasCard },
        .key("cardInField", .boolean, "Whether the card is in the field.") { $0.isCardInField },
        .key("ways", .list(.word(["insert", "swipe", "tap"])), "The ways to present a card.") { $0.ways },
        .key("faults", .list(.named("ArmedFault")), "The faults that have not happened yet, and a hang.") {
            $0.faults.map { armedFault.json(ArmedFault($0)) }
        })

    /// A card and its purpose, without its number.
    static let plannedCard = View<PlannedCard>(
        .key("name", .text) { $0.name }, .key("summary", .text, "The purpose of the card.") { $0.profile.summary },
        .key("chip", .boolean) { $0.profile.hasChip }, .key("stripe", .boolean) { $0.profile.stripe != nil },
        .key("contactless", .boolean, "Whether the card can pay when it is tapped.") { $0.profile.contactless != nil })

    static let event = View<SessionEvent>(
        .key("id", .integer(1...Int(Int32.max)), "The event's number, from 1.") { $0.number },
        .key("milliseconds", .integer(0...Int.max), "The time since the start of the session, on its clock.") {
            $0.milliseconds
        },
        .key("kind", .word(SessionEventKind.allCases.map(\.rawValue))) { $0.kind.rawValue },
        .key("detail", .text, "The details of the event.") { $0.detail },
        .key(
            "display", .text, "The English text on the reader's display after an event `display`; empty when cleared."
        ) { $0.shownText })

    /// A request that may have changed the session, without what was typed on a PIN pad.
    static let request = View<KeptRequest>(
        .key("events", .count, "The number of events before the request.") { $0.events },
        .key("method", .text) { $0.request.method },
        .key("path", .text, "The path behind the session's own, with the query.") { $0.place },
        .key("body", .text, "The body as sent; absent for key presses.") { $0.shownBody })

    static let eventPage = View<(events: [SessionEvent], last: Int)>(
        .key("events", .list(.named("Event"))) { $0.events.map(event.json) },
        .key("last", .count, "The last ID of this page; use it as `after` for the next page.") { $0.last })
}

extension SessionNeed {
    fileprivate var kind: String {
        switch self {
        case .card: "card"
        case .removal: "removal"
        case .pin: "pin"
        case .application: "application"
        }
    }

    fileprivate var ways: [String]? { if case .card(let ways) = self { ways } else { nil } }

    fileprivate var pin: (isRetry: Bool, triesLeft: UInt8?, typedDigits: Int)? {
        if case .pin(let isRetry, let triesLeft, let typedDigits) = self {
            (isRetry, triesLeft, typedDigits)
        } else {
            nil
        }
    }

    fileprivate var applications: [String]? { if case .application(let names) = self { names } else { nil } }
}

extension Duration {
    /// The duration in whole milliseconds.
    var milliseconds: Int64 { components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000 }
}

extension SessionEvent {
    /// The event as a server-sent event.
    var stream: [UInt8] {
        Array("id: \(number)\nevent: \(kind.rawValue)\ndata: ".utf8) + APIAnswer.encoded(Views.event.json(self))
            + Array("\n\n".utf8)
    }
}
