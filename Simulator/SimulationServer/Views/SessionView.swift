internal import Determinism
internal import Sessions
internal import Simulator

/// A session as it is now.
struct SessionView: Encodable, Sendable {
    var id: String
    var seed: UInt64
    var clock: ClockView
    /// What runs: `payment`, `refund`.
    var running: String?
    var waitingFor: NeedView?
    /// What the reader's display shows.
    var display: String?
    var readers: [ReaderView]
    var cards: [CardView]
    var printer: String
    var disk: String
    /// The till's process; one that died is begun again by a request.
    var processRuns: Bool
    var events: Int

    static let schema = Schema.object([
        Field("id", .text), Field("seed", .integer(0...Int(Int32.max))), Field("clock", .named("Clock")),
        Field("running", .word(Operation.Kind.allCases.map(\.rawValue)), "What runs.", optional: true),
        Field("waitingFor", .named("Need"), "What a person has to do; absent when nothing.", optional: true),
        Field("display", .text, "What the reader's display shows.", optional: true),
        Field("readers", .list(.named("Reader"))), Field("cards", .list(.named("Card"))),
        Field("printer", .word(ConditionBodies.printerWords)), Field("disk", .word(ConditionBodies.diskWords)),
        Field("processRuns", .boolean, "False after a crash, until a restart."),
        Field("events", .count, "How many events there are."),
    ])
}

/// The time in a session.
struct ClockView: Encodable, Sendable {
    var now: String
    var elapsedMilliseconds: Int64

    init(_ session: SimulatedSession) {
        (now, elapsedMilliseconds) = (session.now.description, session.elapsed.milliseconds)
    }

    static let schema = Schema.object([
        Field("now", .format("date-time")),
        Field("elapsedMilliseconds", .integer(0...Int.max), "Since the session began."),
    ])
}

/// What a person has to do.
struct NeedView: Encodable, Sendable {
    var kind: String
    var ways: [String]?
    var isRetry: Bool?
    var triesLeft: UInt8?
    var typedDigits: Int?
    var applications: [String]?

    init(_ need: SessionNeed) {
        switch need {
        case .card(let ways): (kind, self.ways) = ("card", ways)
        case .removal: kind = "removal"
        case .pin(let isRetry, let triesLeft, let typedDigits):
            kind = "pin"
            (self.isRetry, self.triesLeft, self.typedDigits) = (isRetry, triesLeft, typedDigits)
        case .application(let applications): (kind, self.applications) = ("application", applications)
        }
    }

    static let schema = Schema.object([
        Field("kind", .word(["card", "removal", "pin", "application"])),
        Field("ways", .list(.text), "How the card may come: `insert`, `swipe`.", optional: true),
        Field("isRetry", .boolean, "The PIN before was wrong.", optional: true),
        Field("triesLeft", .integer(0...255), "Of the PIN, where the card tells.", optional: true),
        Field("typedDigits", .integer(0...255), "How many digits of the PIN were typed; never which.", optional: true),
        Field("applications", .list(.text), "What can be chosen, by number from 0.", optional: true),
    ])
}

/// A reader.
struct ReaderView: Encodable, Sendable {
    var name: String
    var model: String
    var pluggedIn: Bool
    var connected: Bool
    var hasCard: Bool
    var ways: [String]

    init(_ state: SessionReaderState) {
        (name, model, pluggedIn) = (state.name, state.model, state.isPluggedIn)
        (connected, hasCard, ways) = (state.isConnected, state.hasCard, state.ways)
    }

    static let schema = Schema.object([
        Field("name", .text), Field("model", .word(ReaderBody.models)), Field("pluggedIn", .boolean),
        Field("connected", .boolean, "The till has it connected."), Field("hasCard", .boolean),
        Field("ways", .list(.word(["insert", "swipe"])), "How it takes cards."),
    ])
}

/// A card: what it is for, never its number.
struct CardView: Encodable, Sendable {
    var name: String
    var summary: String
    var chip: Bool
    var stripe: Bool

    static let schema = Schema.object([
        Field("name", .text), Field("summary", .text, "What it is for."), Field("chip", .boolean),
        Field("stripe", .boolean),
    ])
}

extension CardView {
    init(_ card: PlannedCard) {
        (name, summary) = (card.name, card.profile.summary)
        (chip, stripe) = (card.profile.hasChip, card.profile.stripe != nil)
    }
}

extension Duration {
    /// Whole milliseconds.
    var milliseconds: Int64 { components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000 }
}
