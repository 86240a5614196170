internal import Determinism
internal import Hardware
internal import Yosemite

/// A receipt as JSON, and as a line for people.
struct ReceiptView: Encodable, Sendable {
    var id: Int64
    var payment: String
    var version: Int64
    var createdAt: String
    var content: ReceiptContent
    var prints: [ReceiptPrintView]

    init(_ receipt: StoredReceipt) {
        (id, payment, version) = (receipt.id, receipt.paymentName, receipt.version)
        (content, createdAt) = (receipt.content, receipt.createdAt.description)
        prints = receipt.prints.map { ReceiptPrintView($0) }
    }

    var line: String {
        let amount = "\(content.amount) \(content.currency)"
        let printed = prints.filter(\.mayBePrinted).count
        return
            "\(payment)  \(content.date)  \(amount.padded(to: 16))  \(content.kind.rawValue) \(content.outcome.rawValue)"
            + (version > 1 ? "  version \(version)" : "") + (printed == 0 ? "" : "  printed \(printed) times") + "\n"
    }
}
