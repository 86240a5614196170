public import ArgumentParser
import Determinism
import Money
import Payments
import Storage
import Text
import TillConfiguration

/// `payments list`
struct ListPayments: TillCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List payments, newest first.",
        discussion: """
            EXAMPLES:
              cardpresent payments list --status captured --since 2026-01-02
              cardpresent payments list --last4 0010 --amount 12.50
              cardpresent payments list --since 2026-01-01 --until 2026-01-31 --format csv > january.csv

            First recovers payments that an earlier process left unfinished, and notifies the store of payments that \
            it does not have yet.

            Times are local, with their offset from UTC. With --json and --format csv they are in UTC. CSV has a row of \
            headings, quotes every field (RFC 4180), and puts an apostrophe in front of a text that a spreadsheet would \
            take for a formula.
            """)

    @OptionGroup var filter: PaymentFilterOptions
    @OptionGroup var list: ListOptions
    @Option(help: "Output format.")
    var format = PaymentListFormat.text
    @OptionGroup var options: CommonOptions

    func validate() throws {
        guard format == .text || !output.json else { throw ValidationError("--json cannot be used with --format csv") }
    }

    func execute() async throws {
        let settings = try options.till.settings()
        let filter = try filter.filter(settings)
        let till = try await options.till.open(for: Self.databaseUse, settings)
        let payments = try await till.payments(matching: filter, limit: list.limit)
        switch format {
        case .text:
            try output.write(
                table: payments, right: Payment.amountColumns,
                whenEmpty: filter == PaymentFilter() ? "No payments yet." : "No matching payments.")
        case .csv:
            try StandardOutput.write(CommaSeparatedText.text([Payment.valueNames] + payments.map(\.values)))
        }
    }
}

/// The format of `payments list` without `--json`.
enum PaymentListFormat: String, ExpressibleByArgument, CaseIterable, Sendable {
    case text
    case csv
}

/// The payments to list.
struct PaymentFilterOptions: ParsableArguments {
    @Option(
        name: .customLong("status"),
        help: ArgumentHelp("Only payments with this status. Can be repeated.", valueName: "status"))
    var states: [PaymentState] = []
    @Option(
        help: ArgumentHelp(
            "Only payments from this day or time on.",
            discussion: "A day such as 2026-01-02 in this machine's time zone, or a time such as 2026-01-02T15:04:05Z.",
            valueName: "time"))
    var since: DayOrTime?
    @Option(help: ArgumentHelp("Only payments up to the end of this day, or before this time.", valueName: "time"))
    var until: DayOrTime?
    @OptionGroup var search: PaymentSearchOptions

    func validate() throws {
        if let since, let until, until.end <= since.beginning {
            throw ValidationError("--until must not be before --since")
        }
    }

    /// Returns the filter.
    ///
    /// - Throws: `CommandFailure` when the amount is invalid.
    func filter(_ settings: TillConfiguration) throws(CommandFailure) -> PaymentFilter {
        var filter = PaymentFilter(
            orderID: search.order, states: states, since: since?.beginning, until: until?.end,
            lastFour: search.lastFour)
        filter.amount = try search.exactAmount(settings)
        return filter
    }
}

/// A payment by its card, its amount, or its order.
struct PaymentSearchOptions: ParsableArguments {
    @Option(name: .customLong("last4"), help: ArgumentHelp("Last four digits of the card number.", valueName: "digits"))
    var lastFour: String?
    @Option(help: ArgumentHelp("Exact amount, for example 12.50.", valueName: "amount"))
    var amount: String?
    @Option(
        help: ArgumentHelp(
            "ISO 4217 currency code of --amount. Default: the configured currency, or USD.",
            valueName: "code"))
    var currency: String?
    @Option(help: ArgumentHelp("ID of the store order.", valueName: "id"))
    var order: Int64?

    func validate() throws {
        guard order ?? 1 > 0 else { throw ValidationError("--order must be an order ID") }
        guard lastFour?.isLastFour ?? true else { throw ValidationError(String.lastFourHint) }
        guard currency == nil || amount != nil else { throw ValidationError("--currency requires --amount") }
    }

    /// Returns the amount; nil when none is given.
    ///
    /// - Throws: `CommandFailure` when it is invalid.
    func exactAmount(_ settings: TillConfiguration) throws(CommandFailure) -> Money? {
        guard let amount else { return nil }
        return try settings.amount(amount, currency: currency)
    }
}

extension PaymentState: ExpressibleByArgument {}

extension String {
    /// Whether the text can be the last four digits of a card number.
    var isLastFour: Bool { utf8.count == 4 && utf8.allSatisfy { (0x30...0x39).contains($0) } }

    /// Why another text can't be searched for.
    static let lastFourHint = "--last4 must be four digits; the rest of the card number is not stored"
}

/// A day or a moment on the command line: `2026-01-02`, or `2026-01-02T15:04:05Z`, without an offset in UTC.
enum DayOrTime: ExpressibleByArgument, Hashable, Sendable {
    case day(Day)
    case time(Timestamp)

    init?(argument: String) {
        if let day = Day(argument: argument) {
            self = .day(day)
        } else if let time = Timestamp(argument) {
            self = .time(time)
        } else {
            return nil
        }
    }

    /// The moment, or the start of the day in this machine's time zone.
    var beginning: Timestamp {
        switch self {
        case .day(let day): day.beginning
        case .time(let time): time
        }
    }

    /// The moment, or the start of the next day.
    var end: Timestamp {
        switch self {
        case .day(let day): day.end
        case .time(let time): time
        }
    }
}
