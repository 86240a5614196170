internal import ArgumentParser
internal import Hardware

/// For whom receipts are, when it may be both.
enum CopiesChoice: String, ExpressibleByArgument, CaseIterable, Sendable {
    case merchant
    case customer
    case both

    var receiptCopies: [ReceiptCopy] {
        switch self {
        case .merchant: [.merchant]
        case .customer: [.customer]
        case .both: [.merchant, .customer]
        }
    }
}
