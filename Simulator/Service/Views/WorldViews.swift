import HTTPInterface
import Sessions
import Simulator
import StoreSite
import Text
import Yosemite

/// The views of the service's values.
enum Views {}

extension Views {
    static let service = View<ServiceLoad>(
        .key("sessions", .count, "The number of sessions.") { $0.sessions },
        .key("sessionsLimit", .count) { $0.configuration.sessionsLimit },
        .key("idleSeconds", .count, "The time after which an unused session ends.") {
            Int($0.configuration.idleLimit.components.seconds)
        })

    /// The cards, reader models, and rules for sessions.
    static let catalog = View<[PlannedCard]>(
        .key("cards", .list(.named("Card"))) { $0.map(plannedCard.json) },
        .key("readerModels", .list(.text)) { _ in ReaderBody.models },
        .key("issuerRules", .list(.text)) { _ in IssuerRulesLibrary.names },
        .key("standardCards", .list(.text), "The cards of a session without a list of cards.") { _ in
            PlanBody.standardCards
        })

    /// A line of the issuer's ledger.
    static let issuerEntry = View<IssuerLedgerEntry>(
        .key("kind", .text) { $0.kind.rawValue }, .key("minorUnits", .integer(Int.min...Int.max)) { $0.minorUnits },
        .key("currency", .text) { $0.currency }, .key("lastFour", .text) { $0.lastFour },
        .key("responseCode", .text) { $0.answer?.responseCode },
        .key("authorizationCode", .text) { $0.answer?.authorizationCode },
        .key("reason", .text) { $0.reason?.rawValue },
        .key("rule", .text, "The issuer rule that decided.") { $0.rule })

    /// The comparison of the till's journal with the issuer's ledger.
    static let reconciliation = View<IssuerReconciliation>(
        .key("agrees", .boolean) { $0.agrees },
        .key("attempts", .count, "The number of compared attempts.") { $0.attemptCount },
        .key("differences", .list(difference.schema)) { $0.differences.map(difference.json) })

    private static let difference = View<IssuerReconciliation.Difference>(
        .key("kind", .text) { $0.kind.rawValue }, .key("payment", .text) { $0.till?.payment })

    static let printer = View<ServedSession>(
        .key("condition", ConditionBodies.words(SimulatedPrinterCondition.self)) { $0.printer.word },
        .key("documents", .list(printout.schema), "The print jobs, oldest first.") {
            $0.session.printouts.map(printout.json)
        })

    private static let printout = View<SessionPrintout>(
        .key("job", .integer(0...Int(Int32.max))) { $0.job }, .key("title", .text) { $0.title },
        .key("state", .text) { $0.state }, .key("reasons", .list(.text)) { $0.reasons },
        .key("lines", .list(.text)) { $0.lines })

    static let disk = View<ServedSession>(
        .key("condition", ConditionBodies.words(DiskCondition.self)) { $0.disk.word })

    static let store = View<SimulatedSession>(
        .key("unpaid", .list(.integer(1...Int.max)), "The numbers of the plan's unpaid orders.") { $0.unpaidOrders },
        .key("orders", .list(order.schema)) { $0.orders.map(order.json) },
        .key("charges", .list(charge.schema), "The charges that the store recorded.") {
            $0.siteLedger.map(charge.json)
        })

    private static let order = View<SiteOrder>(
        .key("id", .integer(1...Int.max)) { $0.id }, .key("status", .text) { $0.status },
        .key("total", .text) { $0.total.decimalText(scale: 2) }, .key("currency", .text) { $0.currency },
        .key("paid", .boolean) { $0.isPaid })

    private static let charge = View<LedgerEntry>(
        .key("id", .text) { $0.chargeID }, .key("order", .integer(1...Int.max)) { $0.orderID },
        .key("hundredths", .integer(Int.min...Int.max)) { $0.amount })

    /// The result of a restart.
    static let restart = View<RecoveryReport>(
        .key("finished", .count, "The number of finished attempts.") { $0.finished.count },
        .key("open", .count) { $0.open.count }, .key("failed", .count) { $0.failed.count })
}
