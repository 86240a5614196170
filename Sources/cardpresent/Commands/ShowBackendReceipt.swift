internal import ArgumentParser
internal import Determinism
internal import Networking
internal import Yosemite

/// `receipts backend`
struct ShowBackendReceipt: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backend", abstract: "Has the store make a receipt of an order, and shows where it is.",
        discussion: "The store makes a new one each time and shows it for two days. It needs WooCommerce 8.7 or newer.")

    @Argument(help: "The order: its ID.")
    var order: Int64
    @OptionGroup var configurationOptions: ConfigurationOptions
    @OptionGroup var data: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard order > 0 else { throw ValidationError("an order has an ID of one or more") }
    }

    func run() async throws {
        try await output.reporting {
            let till = try await Till.open(settings: try configurationOptions.load(), data: data)
            till.announceRecovery()
            let receipt = BackendReceiptView(try await till.backendReceipt(order: order, of: try till.shop()))
            guard !output.json else { return try StandardOutput.write(json: receipt) }
            try StandardOutput.write("\(receipt.url)\nshown until \(receipt.lastDay)\n")
        }
    }
}

/// A receipt that the store shows, as JSON.
private struct BackendReceiptView: Encodable, Sendable {
    var url: String
    /// `2026-01-31`
    var lastDay: String

    init(_ receipt: BackendReceipt) {
        func pad(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let day = receipt.expirationDate
        (url, lastDay) = (receipt.receiptURL, "\(day.year)-\(pad(day.month))-\(pad(day.day))")
    }
}
