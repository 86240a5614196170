internal import Determinism
internal import Hardware
internal import Yosemite

/// A print as JSON.
struct ReceiptPrintView: Encodable, Sendable {
    /// A step of its story.
    struct Step: Encodable, Sendable {
        var state: String
        var at: String
        var reasons: [String]
        var message: String?
    }

    var id: String
    var payment: String
    var receipt: Int64
    var copy: String
    var copies: Int
    var printer: String
    /// The print server's number.
    @Nullable var job: Int64? = nil
    @Nullable var medium: String? = nil
    @Nullable var format: String? = nil
    var state: String
    var reasons: [String]
    @Nullable var message: String? = nil
    /// Whether more may be heard of it.
    var open: Bool
    /// Whether the paper says DUPLICATE.
    var duplicate: Bool
    /// Whether there may be paper.
    var mayBePrinted: Bool
    var createdAt: String
    var updatedAt: String
    /// Oldest first; nil where the story is not told.
    var steps: [Step]?

    init(_ print: ReceiptPrint) {
        (id, payment, receipt) = (print.name, print.paymentName, print.receiptID)
        (copy, copies, printer) = (print.copy.rawValue, print.copies, print.printer)
        (state, reasons, open) = (print.state.rawValue, print.reasons, print.isOpen)
        (duplicate, mayBePrinted) = (print.isDuplicate, print.mayBePrinted)
        (createdAt, updatedAt) = (print.createdAt.description, print.updatedAt.description)
        (job, medium, format, message) = (print.jobID, print.medium, print.format, print.message)
    }

    init(_ history: ReceiptPrintHistory) {
        self.init(history.print)
        steps = history.steps.map {
            Step(state: $0.state.rawValue, at: $0.at.description, reasons: $0.reasons, message: $0.message)
        }
    }
}

extension ReceiptPrintHistory {
    /// For people: what it is, and below it what was heard of it.
    var text: String {
        let head = [
            print.name, print.paymentName,
            "\(print.copy.rawValue) copy" + (print.copies > 1 ? " ×\(print.copies)" : ""),
            print.state.rawValue + PrintWords.place(print),
            print.isDuplicate && print.mayBePrinted ? "DUPLICATE" : "",
        ].filter { !$0.isEmpty }
        let lines = steps.map { step in
            "  \(step.at)  \(step.state.rawValue)\(PrintWords.because(step.reasons, step.message))"
        }
        return ([head.joined(separator: "  ")] + lines).joined(separator: "\n") + "\n"
    }
}
