import ArgumentParser
import Determinism
import Hardware
import Money
import Networking
import Payments
import Storage
import TillConfiguration
import Yosemite

/// `receipts`
struct ReceiptsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "receipts", abstract: "List, show, render, print, and email receipts.",
        discussion: """
            EXAMPLES:
              cardpresent receipts show P000001
              cardpresent receipts print P000001
              cardpresent receipts render P000001 --format pdf -o receipt.pdf
            """,
        subcommands: [
            ListReceipts.self, ShowReceipt.self, CheckReceipt.self, RenderReceipt.self, PrintReceipt.self,
            ReprintReceipt.self, ListPrints.self, CancelPrint.self, ShowBackendReceipt.self, PreviewReceipt.self,
            EmailReceipt.self,
        ])
}

/// `receipts list`
struct ListReceipts: TillCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List receipts, newest first.",
        discussion: """
            EXAMPLES:
              cardpresent receipts list --since 2026-01-01 --until 2026-01-31
              cardpresent receipts list --last4 0010 --amount 12.50
              cardpresent receipts list --order 123

            Days are in this machine's time zone.
            """)

    @OptionGroup var days: ReceiptDayOptions
    @OptionGroup var search: PaymentSearchOptions
    @Option(help: ArgumentHelp("Payment ID, for example P000001.", valueName: "payment"))
    var payment: PaymentName?
    @Option(help: ArgumentHelp("Authorization code of the issuer.", valueName: "code"))
    var authCode: String?
    @OptionGroup var list: ListOptions
    @OptionGroup var options: CommonOptions

    func validate() throws {
        guard authCode != "" else { throw ValidationError("--auth-code must be an authorization code such as 123456") }
    }

    func execute() async throws {
        let settings = try options.till.settings()
        let query = ReceiptQuery(
            paymentID: payment?.id, orderID: search.order, since: days.since?.beginning, before: days.until?.end,
            lastFour: search.lastFour, amount: try search.exactAmount(settings),
            authorizationCode: authCode, limit: list.limit)
        let till = try await options.till.open(for: Self.databaseUse, settings)
        await till.resolvePrints()
        try output.write(
            table: try await till.receipts(matching: query), right: [2],
            whenEmpty: query == ReceiptQuery(limit: list.limit) ? "No receipts yet." : "No matching receipts.")
    }
}

/// `receipts show`
struct ShowReceipt: TillCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show the latest receipt of a payment as text.",
        discussion: """
            EXAMPLES:
              cardpresent receipts show P000001
              cardpresent receipts show P000001 --copy merchant --width 32
              cardpresent receipts show P000001 --of refund
            """)

    @OptionGroup var selection: ReceiptSelection
    @Option(help: "Receipt copy.")
    var copy = ReceiptCopy.customer
    @Option(help: ArgumentHelp("Width in columns. Default: the configured width.", valueName: "columns"))
    var width: Int?
    @OptionGroup var options: CommonOptions

    func validate() throws {
        try check(width, in: 24...80, "--width", "columns")
    }

    func execute() async throws {
        let settings = try options.till.settings()
        let till = try await options.till.open(for: Self.databaseUse, settings)
        await till.resolvePrints()
        let receipt = try await selection.load(from: till)
        guard !output.json else { return try StandardOutput.write(json: receipt.json) }
        try StandardOutput.write(
            await till.text(of: receipt, copy: copy, width: width ?? settings.receiptWidth))
    }
}

/// `receipts backend`
struct ShowBackendReceipt: TillCommand {
    static let configuration = CommandConfiguration(
        commandName: "backend", abstract: "Create an online receipt for an order and show its URL.",
        discussion: """
            EXAMPLES:
              cardpresent receipts backend 123

            The store creates a new receipt each time and shows it for two days. Requires WooCommerce 8.7 or later.
            """)

    @Argument(help: "Order ID.")
    var order: Int64
    @OptionGroup var options: CommonOptions

    func validate() throws {
        guard order > 0 else { throw ValidationError("the order ID must be at least 1") }
    }

    func execute() async throws {
        let till = try await options.till.open(for: Self.databaseUse)
        try output.write(try await till.backendReceipt(order: order, of: try till.shop()))
    }
}

extension BackendReceipt: CommandResult {
    var json: JSONObject { ["url": receiptURL, "lastDay": expirationDate.dayText] }

    var text: String { "\(receiptURL)\navailable until \(expirationDate.dayText)\n" }
}

extension StoredReceipt: TableRow {
    var json: JSONObject {
        [
            "id": id, "payment": paymentName, "version": version, "createdAt": createdAt.description,
            "content": content, "prints": prints.map(\.json),
        ]
    }

    static var heads: [String] { ["payment", "time", "amount", "receipt", "version", "printed"] }

    var cells: [String] {
        let printed = prints.filter(\.mayBePrinted).count
        return [
            paymentName, createdAt.secondText, "\(content.amount) \(content.currency)",
            "\(content.kind.rawValue) \(content.outcome.rawValue)", version > 1 ? "version \(version)" : "",
            printed == 0 ? "" : "printed \(printed) times",
        ]
    }
}
