internal import Amounts
internal import Sessions
internal import Simulator
internal import StoreSite

/// The service itself.
struct ServiceView: Encodable, Sendable {
    var sessions: Int
    var sessionsLimit: Int
    var idleSeconds: Int

    static let schema = Schema.object([
        Field("sessions", .count, "How many there are."), Field("sessionsLimit", .count),
        Field("idleSeconds", .count, "A session that nobody asks for so long is ended."),
    ])
}

/// What a session can be made of.
struct CatalogueView: Encodable, Sendable {
    var cards: [CardView]
    var readerModels: [String]
    var issuerRules: [String]
    /// The cards of a session that names none.
    var standardCards: [String]

    static let schema = Schema.object([
        Field("cards", .list(.named("Card"))), Field("readerModels", .list(.text)),
        Field("issuerRules", .list(.text)), Field("standardCards", .list(.text), "Those of a session that names none."),
    ])
}

/// A line of the issuer's book.
struct IssuerEntryView: Encodable, Sendable {
    var kind: String
    var minorUnits: Int64
    var currency: String
    var lastFour: String?
    var responseCode: String?
    var authorizationCode: String?
    var reason: String?
    var rule: String?

    init(_ entry: IssuerLedgerEntry) {
        (kind, minorUnits, currency) = (entry.kind.rawValue, entry.minorUnits, entry.currency)
        (lastFour, responseCode) = (entry.lastFour, entry.answer?.responseCode)
        authorizationCode = entry.answer?.authorisationCode
        (reason, rule) = (entry.reason?.rawValue, entry.rule)
    }

    static let schema = Schema.object([
        Field("kind", .text), Field("minorUnits", .integer(Int.min...Int.max)), Field("currency", .text),
        Field("lastFour", .text, optional: true), Field("responseCode", .text, optional: true),
        Field("authorizationCode", .text, optional: true), Field("reason", .text, optional: true),
        Field("rule", .text, "The rule that decided.", optional: true),
    ])
}

/// The till's journal against the issuer's book.
struct ReconciliationView: Encodable, Sendable {
    struct Difference: Encodable, Sendable {
        var kind: String
        var payment: String?
    }

    var agrees: Bool
    var attempts: Int
    var differences: [Difference]

    init(_ found: IssuerReconciliation) {
        (agrees, attempts) = (found.agrees, found.attemptCount)
        differences = found.differences.map { Difference(kind: $0.kind.rawValue, payment: $0.till?.payment) }
    }

    static let schema = Schema.object([
        Field("agrees", .boolean), Field("attempts", .count, "How many attempts were compared."),
        Field(
            "differences",
            .list(.object([Field("kind", .text), Field("payment", .text, optional: true)]))),
    ])
}

/// The printer.
struct PrinterView: Encodable, Sendable {
    var condition: String
    var documents: [SessionPrintout]

    static let schema = Schema.object([
        Field("condition", .word(ConditionBodies.printerWords)),
        Field(
            "documents",
            .list(
                .object([
                    Field("job", .integer(0...Int(Int32.max))), Field("title", .text), Field("state", .text),
                    Field("reasons", .list(.text)), Field("lines", .list(.text)),
                ])), "What came to the printer, oldest first."),
    ])
}

/// The disk.
struct DiskView: Encodable, Sendable {
    var condition: String

    static let schema = Schema.object([Field("condition", .word(ConditionBodies.diskWords))])
}

/// The store.
struct StoreView: Encodable, Sendable {
    struct Order: Encodable, Sendable {
        var id: Int64
        var status: String
        var total: String
        var currency: String
        var paid: Bool

        init(_ order: SiteOrder) {
            (id, status, currency, paid) = (order.id, order.status, order.currency, order.isPaid)
            let cents = order.total % 100
            total = "\(order.total / 100)." + (abs(cents) < 10 ? "0" : "") + "\(abs(cents))"
        }
    }

    struct Charge: Encodable, Sendable {
        var id: String
        var order: Int64
        var hundredths: Int64
    }

    /// Those that wait for their payment from the beginning.
    var unpaid: [Int64]
    var orders: [Order]
    var charges: [Charge]

    static let schema = Schema.object([
        Field("unpaid", .list(.integer(1...Int.max)), "The orders that the plan has as unpaid, by number."),
        Field(
            "orders",
            .list(
                .object([
                    Field("id", .integer(1...Int.max)), Field("status", .text), Field("total", .text),
                    Field("currency", .text), Field("paid", .boolean),
                ]))),
        Field(
            "charges",
            .list(
                .object([
                    Field("id", .text), Field("order", .integer(1...Int.max)),
                    Field("hundredths", .integer(Int.min...Int.max)),
                ])), "The money that the store took."),
    ])
}

/// A print job.
struct PrintJobView: Encodable, Sendable {
    var name: String
    var printer: String
    var state: String

    static let schema = Schema.object([
        Field("name", .text, "The print's name, for example J000001."), Field("printer", .text),
        Field("state", .text, "queued, accepted, sent, completed, failed or unknown."),
    ])
}

/// What was done when a process began again.
struct RestartView: Encodable, Sendable {
    var finished: Int
    var open: Int
    var failed: Int

    static let schema = Schema.object([
        Field("finished", .count, "Attempts that were brought to an end."), Field("open", .count),
        Field("failed", .count),
    ])
}
