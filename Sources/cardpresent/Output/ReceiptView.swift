internal import Determinism
internal import Hardware
internal import Yosemite

/// A receipt as JSON, and as a line for people.
struct ReceiptView: Encodable, Sendable {
    struct Print: Encodable, Sendable {
        var printer: String
        var job: Int64?
        var copy: String?
        var state: String
        var at: String
    }

    var id: Int64
    var payment: String
    var createdAt: String
    var content: ReceiptContent
    var prints: [Print]

    init(_ receipt: StoredReceipt) {
        (id, payment, content) = (receipt.id, receipt.paymentName, receipt.content)
        createdAt = receipt.createdAt.description
        prints = receipt.prints.map {
            Print(printer: $0.printer, job: $0.jobID, copy: $0.copy?.rawValue, state: $0.state, at: $0.at.description)
        }
    }

    var line: String {
        let amount = "\(content.amount) \(content.currency)"
        return
            "\(payment)  \(content.date)  \(amount.padded(to: 16))  \(content.kind.rawValue) \(content.outcome.rawValue)"
            + (prints.isEmpty ? "" : "  printed \(prints.count) times") + "\n"
    }
}
