import Determinism
import Fleet
import HTTPInterface
import Money
import Payments
import Text

/// The views of the back office's values. Keys without a value are left out.
enum FleetViews {
    private static let amount = Schema.integer(Int.min...Int.max)
    private static let number = Schema.integer(0...Int.max)
    private static let moment = Schema.format("date-time")

    static let me = View<(login: String, offices: [HeldOffice])>(
        .key("login", .text, "The login of the database that the token stands for.") { $0.login },
        .key("offices", .list(office.schema)) { $0.offices.map(office.json) })

    private static let office = View<HeldOffice>(
        .key("office", .word(Office.allCases.map(\.rawValue))) { $0.office.rawValue },
        .key("shop", .text, "Only this shop.") { $0.shop })

    static let lane = View<LaneStatus>(
        .key("shop", .text) { $0.shop }, .key("lane", .text) { $0.name },
        .key("id", .text, "32 hexadecimal digits.") { $0.id },
        .key("epoch", number) { $0.epoch },
        .key("applied", number, "The last entry that the back office has.") { $0.applied },
        .key("written", number, "The last entry that the lane had written when it was heard.") { $0.written },
        .key("waiting", number, "The entries that wait at the lane.") { $0.waiting },
        .key(
            "lagMilliseconds", number,
            "The age of the oldest change of the last batch when it arrived, by the time of its row's last state."
        ) {
            $0.lag.map(milliseconds)
        },
        .key("heardMillisecondsAgo", amount) { $0.silence.map(milliseconds) },
        .key("clockDifferenceMilliseconds", amount, "How far the lane's clock is behind the server's.") {
            $0.clockDifference.map(milliseconds)
        },
        .key("refused", .text, "Why a batch was refused: restored, lost, or epoch.") { $0.refusal },
        .key("replaced", .boolean, "Whether other records have its place.") { $0.isRetired },
        .key("payments", number) { $0.payments },
        .key("unknown", number, "The payments whose outcome is unknown.") { $0.unknown },
        .key("advices", number, "The advices that wait for the host.") { $0.advices },
        .key("lostAttempts", number, "The attempts that only an earlier epoch or another copy has.") {
            $0.lostAttempts
        })

    static let payment = View<OfficePayment>(
        .key("shop", .text) { $0.shop }, .key("lane", .text) { $0.lane }, .key("laneId", .text) { $0.laneID },
        .key("id", .text, "Such as P000017.") { "\(PaymentID(rawValue: $0.number))" },
        .key("state", .text, "In the words of the journal, such as captured.") { $0.state },
        .key("amount", amount, "In minor units.") { $0.amount },
        .key("refundedAmount", amount) { $0.refunded },
        .key("currency", .text, "ISO 4217.") { $0.currencyCode },
        .key("exponent", .count, "The decimals of the currency; 0 for one that ISO 4217 lacks.") {
            $0.currency?.exponent ?? 0
        },
        .key("brand", .text) { $0.brand }, .key("last4", .text) { $0.lastFour },
        .key("createdAt", moment, "By the server's clock.") { $0.createdAt.description },
        .key("receivedAt", moment) { $0.receivedAt.description },
        .key("erased", .boolean, "Whether its personal data were erased.") { $0.isErased })

    static let paymentPage = View<[OfficePayment]>(
        .key("payments", .list(.named("Payment")), "Newest first.") { $0.map(payment.json) },
        .key("next", .text, "The value of 'after' for the next page.") { (_: [OfficePayment]) in String?.none })

    static let history = View<ShippedPayment>(
        .key("payment", .named("Payment")) { payment.json($0.payment) },
        .key("attempts", .list(.named("Attempt")), "Sales, refunds, and increments.") { $0.attempts.map(attempt.json) },
        .key("receipts", .list(.named("Receipt"))) { $0.receipts.map(receipt.json) })

    static let attempt = View<OfficeAttempt>(
        .key("number", number) { $0.number },
        .key("kind", .text, "Such as sale or refund.") { $0.kind },
        .key("state", .text, "In the words of the journal, such as captured.") { $0.state },
        .key("amount", amount, "In minor units.") { $0.amount },
        .key("currency", .text) { $0.currencyCode }, .key("exponent", .count) { $0.currency?.exponent ?? 0 },
        .key("host", .text) { $0.host }, .key("hostReference", .text) { $0.hostReference },
        .key("problem", .text, "The last failure, for people.") { $0.problem },
        .key("hasAdvice", .boolean, "Whether an advice waits for the host.") { $0.hasAdvice },
        .key("day", .format("date"), "The day of its capture, in the time zone of the shop.") { $0.day },
        .key("updatedAt", moment) { $0.updatedAt.description },
        .key("receivedAt", moment) { $0.receivedAt.description })

    static let receipt = View<OfficeReceipt>(
        .key("number", number) { $0.number }, .key("kind", .text) { $0.kind },
        .key("version", number) { $0.version },
        .key("content", .text, "The receipt as the JSON text that the lane has; none when it was erased.") {
            $0.content
        },
        .key("receivedAt", moment) { $0.receivedAt.description })

    static let total = View<(key: TotalKey, total: DayTotal)>(
        .key("shop", .text) { $0.key.shop }, .key("lane", .text) { $0.key.lane },
        .key("day", .format("date")) { $0.key.day },
        .key("brand", .text, "In lowercase; empty without one.") { $0.key.brand },
        .key("currency", .text) { $0.key.currency.code }, .key("exponent", .count) { $0.key.currency.exponent },
        .key("sales", number) { $0.total.sales },
        .key("salesAmount", amount, "In minor units.") { $0.total.salesAmount },
        .key("refunds", number) { $0.total.refunds }, .key("refundsAmount", amount) { $0.total.refundsAmount },
        .key("net", amount, "What the acquirer owes for it.") { $0.total.net })

    static let reconciliation = View<Reconciliation>(
        .key("since", .format("date")) { $0.since }, .key("until", .format("date")) { $0.until },
        .key("compared", .count, "The totals that either side has.") { $0.compared },
        .key("ignored", .count, "The lines of the settlement that are of other shops or days.") { $0.ignored },
        .key("unreadable", .list(.text), "The attempts that no total has: their currency or amount is none.") {
            $0.unreadable.map { JSONValue.text("\($0)") }
        },
        .key("unknownPayments", number, "They can explain differences.") { $0.unknownPayments },
        .key("differences", .list(.named("Difference"))) { $0.differences.map(difference.json) })

    static let difference = View<TotalDifference>(
        .key("shop", .text) { $0.key.shop }, .key("lane", .text) { $0.key.lane },
        .key("day", .format("date")) { $0.key.day }, .key("brand", .text) { $0.key.brand },
        .key("currency", .text) { $0.key.currency.code }, .key("exponent", .count) { $0.key.currency.exponent },
        .key(
            "difference", .word(["notSettled", "notTaken", "differs"]),
            "notSettled: the acquirer lacks it. notTaken: no lane has it."
        ) { $0.kind.rawValue },
        .key("ours", side.schema) { $0.ours.map(side.json) },
        .key("theirs", side.schema) { $0.theirs.map(side.json) })

    private static let side = View<DayTotal>(
        .key("sales", number) { $0.sales }, .key("salesAmount", amount) { $0.salesAmount },
        .key("refunds", number) { $0.refunds }, .key("refundsAmount", amount) { $0.refundsAmount },
        .key("net", amount) { $0.net })

    static let event = View<OfficeEvent>(
        .key("id", number) { $0.id }, .key("at", moment) { $0.at.description },
        .key("login", .text, "Who acted.") { $0.login },
        .key("action", .text, "Such as invite, erase, adopt, or copy.") { $0.action },
        .key("shop", .text) { $0.shop }, .key("detail", .text) { $0.detail })

    static let invitation = View<(shop: String, lane: String, hours: Int, token: String)>(
        .key("shop", .text) { $0.shop }, .key("lane", .text) { $0.lane }, .key("hours", .count) { $0.hours },
        .key("token", .text, "For 'cardpresent fleet enroll'. It works once.") { $0.token })

    static let erasure = View<Int64>(.key("erased", number, "The number of payments.") { $0 })

    static let health = View<String>(.key("status", .word(["ok", "ready"])) { $0 })

    /// Returns a page of payments with the place of the next one.
    static func page(_ payments: [OfficePayment], limit: Int) -> JSONValue {
        let shown = payments.prefix(limit)
        var members = [JSONValue.Member("payments", .list(shown.map(payment.json)))]
        if payments.count > limit, let last = shown.last {
            members.append(JSONValue.Member("next", .text(PaymentPlace(last).description)))
        }
        return .object(members)
    }

    private static func milliseconds(_ duration: Duration) -> Int64 { Int64(duration / .milliseconds(1)) }
}

/// The OpenAPI document of the back office.
enum FleetDocument {
    /// The named shapes.
    static let shapes: [String: Schema] = [
        "Attempt": FleetViews.attempt.schema,
        "Difference": FleetViews.difference.schema,
        "Erase": .object([
            Field("shop", FleetRequests.shop),
            Field("lane", FleetRequests.laneName, "The name of a lane. Default: all.", optional: true),
            Field("payment", .phrase(1...20), "A payment of the lane, such as P000017. Default: all.", optional: true),
            Field(
                "olderThanDays", .integer(0...36_500), "Only payments that are older. Default: all.", optional: true),
        ]),
        "Erasure": FleetViews.erasure.schema,
        "Error": APIError.view.schema,
        "Event": FleetViews.event.schema,
        "Health": FleetViews.health.schema,
        "Invitation": FleetViews.invitation.schema,
        "Invite": .object([
            Field("shop", FleetRequests.shop), Field("lane", FleetRequests.laneName, "The name of the lane."),
            Field("hours", .integer(1...8760), "How long the token works. Default: 24.", optional: true),
        ]),
        "Lane": FleetViews.lane.schema,
        "Me": FleetViews.me.schema,
        "Payment": FleetViews.payment.schema,
        "ShippedPayment": FleetViews.history.schema,
        "PaymentPage": FleetViews.paymentPage.schema,
        "Receipt": FleetViews.receipt.schema,
        "Reconciliation": FleetViews.reconciliation.schema,
        "Total": FleetViews.total.schema,
    ]

    /// The document as served.
    static let bytes = APIAnswer.encoded(document, pretty: true) + [0x0A]

    static var document: JSONValue {
        OpenAPI(
            title: "CardPresent back office",
            summary: "The payments of many lanes. See docs/fleet.md.", server: "http://127.0.0.1:8300",
            needsToken: true, token: "Made by 'cardpresent fleet token make'. It gives the rights of a login.",
            shapes: shapes
        ).document(of: FleetRoute.table)
    }
}
