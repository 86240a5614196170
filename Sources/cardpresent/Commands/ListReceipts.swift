internal import Amounts
internal import ArgumentParser
internal import Determinism
internal import Hardware
internal import Yosemite

/// `receipts list`
struct ListReceipts: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Lists receipts, newest first.",
        discussion: "Days begin and end at midnight of this machine's clock.")

    @Option(help: ArgumentHelp("Issued on this day or later: 2026-01-02.", valueName: "day"))
    var since: Day?
    @Option(help: ArgumentHelp("Issued on this day or before.", valueName: "day"))
    var until: Day?
    @Option(name: .customLong("last4"), help: ArgumentHelp("Of the card with these last digits.", valueName: "digits"))
    var lastFour: String?
    @Option(help: ArgumentHelp("Of exactly this amount, for example 12.50.", valueName: "amount"))
    var amount: String?
    @Option(
        help: ArgumentHelp(
            "ISO 4217 code of the amount's currency. Default: the configuration's, USD without one.",
            valueName: "code"))
    var currency: String?
    @Option(help: ArgumentHelp("Of this order of the store: its ID.", valueName: "id"))
    var order: Int64?
    @Option(help: ArgumentHelp("Of this payment, for example P000001.", valueName: "payment"))
    var payment: PaymentName?
    @Option(help: ArgumentHelp("With this authorisation code of the issuer.", valueName: "code"))
    var authCode: String?
    @Option(help: ArgumentHelp("The most receipts to show.", valueName: "number"))
    var limit: Int?
    @OptionGroup var configurationOptions: ConfigurationOptions
    @OptionGroup var data: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard limit ?? 1 > 0 else { throw ValidationError("--limit is 1 or more") }
        guard order ?? 1 > 0 else { throw ValidationError("--order is the ID of an order, one or more") }
        guard lastFour.map(Self.isFourDigits) ?? true else {
            throw ValidationError("--last4 is four digits; more of a card's number is never kept")
        }
        guard authCode != "" else { throw ValidationError("--auth-code is the issuer's code, such as 123456") }
        guard currency == nil || amount != nil else { throw ValidationError("--currency goes with --amount") }
        if let since, let until, until.date.dayNumber < since.date.dayNumber {
            throw ValidationError("--until is before --since")
        }
    }

    private static func isFourDigits(_ text: String) -> Bool {
        text.utf8.count == 4 && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }

    func run() async throws {
        try await output.reporting {
            let settings = try configurationOptions.load()
            let query = ReceiptQuery(
                paymentID: payment?.id, orderID: order, since: since?.beginning, before: until?.end, lastFour: lastFour,
                amount: try amount.map { try settings.amount($0, currency: currency) },
                authorizationCode: authCode, limit: limit)
            let till = try await Till.open(settings: settings, data: data)
            till.announceRecovery()
            await till.resolvePrints()
            let receipts = try await till.receipts(matching: query).map(ReceiptView.init)
            guard !output.json else { return try StandardOutput.write(json: receipts) }
            if receipts.isEmpty {
                StandardError.write(query == ReceiptQuery(limit: limit) ? "No receipts yet.\n" : "No such receipts.\n")
            }
            try StandardOutput.write(receipts.map(\.line).joined())
        }
    }
}
