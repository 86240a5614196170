import ArgumentParser
import Determinism
import Fleet
import Money
import Payments
import Text

/// `fleet report`
struct FleetReport: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "report", abstract: "Add up what the lanes took, by lane, day, and brand.",
        discussion: """
            EXAMPLES:
              cardpresent fleet report --since 2026-01-01 --until 2026-01-31
              cardpresent fleet report --shop harbor --json
              cardpresent fleet report --format csv > january.csv

            Counts sales and refunds on the day on which they were captured, in the time zone of the shop, under the \
            name that the lane had then. 'fleet reconcile' reads the CSV. An attempt without a currency of ISO 4217 is \
            in no total, and named as an error.
            """)

    @Option(help: "Output format.")
    var format = FleetReportFormat.text
    @OptionGroup var days: DayOptions
    @OptionGroup var shop: ShopOption
    @OptionGroup var office: OfficeOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard format == .text || !output.json else { throw ValidationError("--json cannot be used with --format csv") }
    }

    func execute() async throws {
        let (office, shop, days) = (try office.open(), shop.shop, days)
        let report = try await CommandFailure.fleet { () async throws(FleetError) in
            try await office.report(of: shop, since: days.since?.date.dayText, until: days.until?.date.dayText)
        }
        report.unreadable.noteLeftOut()
        let rows = report.totals.sorted { $0.key < $1.key }.map { TotalRow(key: $0.key, total: $0.value) }
        switch format {
        case .text: try output.write(table: rows, right: [5, 6, 7, 8, 9], whenEmpty: "Nothing was captured.")
        case .csv: try StandardOutput.write(Settlement(report.totals).text)
        }
    }
}

extension [UnreadableAttempt] {
    /// Names what no total has.
    fileprivate func noteLeftOut() {
        for attempt in self { StandardError.note("in no total: \("\(attempt)".harmless)\n") }
    }
}

/// The format of `fleet report` without `--json`.
enum FleetReportFormat: String, ExpressibleByArgument, CaseIterable, Sendable {
    case text
    case csv
}

/// A line of a report.
private struct TotalRow: TableRow {
    let key: TotalKey
    let total: DayTotal

    static var heads: [String] { Settlement.headings + ["net"] }

    var cells: [String] { Settlement.fields(key, total) + [key.amountText(total.net)] }

    var json: JSONObject { JSONObject(extending: key.json, with: total.json) }
}

extension TotalKey {
    fileprivate var json: JSONObject {
        (["shop": shop, "lane": lane, "day": day, "brand": brand] as JSONObject).amounts(in: currency)
    }
}

extension DayTotal {
    fileprivate var json: JSONObject {
        [
            "sales": sales, "salesAmount": salesAmount, "refunds": refunds, "refundsAmount": refundsAmount, "net": net,
        ]
    }
}

/// `fleet reconcile`
struct ReconcileFleet: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "reconcile", abstract: "Compare the totals of the lanes with the acquirer's settlement.",
        discussion: """
            EXAMPLES:
              cardpresent fleet reconcile settlement.csv
              cardpresent fleet reconcile settlement.csv --shop harbor --json

            The file is CSV with the headings \(Settlement.headings.joined(separator: ",")), \
            and decimals such as 12.50. Compares the days of the file, or those of --since and --until, and names each \
            lane, day, and brand on which both sides differ: 'notSettled' (the acquirer lacks it), 'notTaken' (no lane \
            has it), or 'differs'. Unknown payments of the lanes are counted, because they can explain it. Lines of \
            other shops and days are counted as ignored. Exits with 7 when there are differences, and with 65 when the \
            file has lines and all of them are ignored.
            """)

    private static let longest = 16 << 20

    @Argument(help: "Settlement of the acquirer, or - for standard input.", completion: .file(extensions: ["csv"]))
    var file: String
    @OptionGroup var days: DayOptions
    @OptionGroup var shop: ShopOption
    @OptionGroup var office: OfficeOptions
    @OptionGroup var output: OutputOptions

    func execute() async throws {
        let text = String(decoding: try InputFile.read(file, atMost: Self.longest), as: UTF8.self)
        let settlement = try CommandFailure.fleetValue { () throws(FleetError) in try Settlement(text) }
        let (office, shop) = (try office.open(), shop.shop)
        let days = days
        let result = try await CommandFailure.fleet { () async throws(FleetError) in
            try await office.reconcile(
                settlement, of: shop, since: days.since?.date.dayText, until: days.until?.date.dayText)
        }
        result.unreadable.noteLeftOut()
        let rows = result.differences.map(DifferenceRow.init)
        let (unknown, compared, ignored) = (result.unknownPayments, result.compared, result.ignored)
        try output.write(
            [
                "since": result.since, "until": result.until, "compared": compared, "ignored": ignored,
                "unreadable": result.unreadable.map(\.description), "unknownPayments": unknown,
                "differences": rows.map(\.json),
            ] as JSONObject,
            text: (rows.isEmpty ? "" : TextTable.text(of: rows, right: [6, 7, 8, 9]))
                + "\(compared) totals compared, \(rows.count) differ"
                + (ignored == 0 ? "" : "; \(ignored) lines are of other shops or days")
                + (unknown == 0 ? "\n" : "; \(unknown) payments are unknown\n"))
        guard rows.isEmpty else { throw ExitCode(ExitStatus.differs.rawValue) }
    }
}

/// A total on which lanes and acquirer differ.
private struct DifferenceRow: TableRow {
    let difference: TotalDifference

    static var heads: [String] {
        ["shop", "lane", "day", "brand", "currency", "difference", "ours", "amount", "theirs", "amount"]
    }

    var cells: [String] {
        let key = difference.key
        return [key.shop, key.lane, key.day, key.brand, key.currency.code, difference.kind.rawValue]
            + [difference.ours, difference.theirs].flatMap { total in
                total.map { ["\($0.sales)+\($0.refunds)", key.amountText($0.net)] } ?? ["", ""]
            }
    }

    var json: JSONObject {
        JSONObject(
            extending: difference.key.json,
            with: [
                "difference": difference.kind.rawValue, "ours": difference.ours?.json,
                "theirs": difference.theirs?.json,
            ])
    }
}

/// `fleet erase`
struct EraseFleet: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "erase", abstract: "Erase personal data at the back office.",
        discussion: """
            EXAMPLES:
              cardpresent fleet erase harbor --older-than 400 --yes
              cardpresent fleet erase harbor --lane 'till 3' --payment P000017

            Erases the last four digits, the order, codes, and receipts of payments, in the history of their changes, \
            too. Amounts, brands, states, and times stay, so that no total changes. It can't be undone. Lanes of the \
            shop wait meanwhile. A timer that runs the first example is the retention of a shop. The records of the lane \
            are not touched. After a restored backup, a number can name several payments: all of them are erased, and \
            the event names each.
            """)

    @Argument(help: "Shop.") var shop: String
    @Option(help: ArgumentHelp("Only payments of this lane.", valueName: "lane"))
    var lane: String?
    @Option(help: ArgumentHelp("Only this payment of the lane, such as P000017.", valueName: "payment"))
    var payment: PaymentName?
    @Option(help: ArgumentHelp("Only payments that are older, in days.", valueName: "number"))
    var olderThan: Int?
    @Flag(help: "Do not ask.")
    var yes = false
    @OptionGroup var office: OfficeOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        try check(olderThan, in: 0...36_500, "--older-than", "days")
        guard payment == nil || lane != nil else { throw ValidationError("--payment requires --lane") }
        guard payment != nil || olderThan != nil else {
            throw ValidationError("give --payment with --lane, or --older-than")
        }
    }

    func execute() async throws {
        let office = try office.open()
        if !yes {
            try Confirmation(
                question: "Erase it?", otherwise: "nothing was erased", shortcut: "erase without asking",
                time: SystemTimeSource()
            ).ask(about: [
                "personal data of "
                    + (payment.map { "\($0.id)" } ?? "payments older than \(olderThan ?? 0) days")
                    + " of \((lane.map { "lane '\($0)'" } ?? "all lanes").harmless) of the shop '\(shop.harmless)'"
            ])
        }
        let (shop, lane, payment, days) = (shop, lane, payment?.id.rawValue, olderThan)
        let erased = try await CommandFailure.fleet { () async throws(FleetError) in
            try await office.erase(shop: shop, lane: lane, payment: payment, olderThan: days)
        }
        try output.write(
            ["erased": erased] as JSONObject,
            text: "erased the personal data of \(erased) \(erased == 1 ? "payment" : "payments")\n")
    }
}
