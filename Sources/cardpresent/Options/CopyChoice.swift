internal import ArgumentParser
internal import Hardware

/// For whom a receipt is.
enum CopyChoice: String, ExpressibleByArgument, CaseIterable, Sendable {
    case merchant
    case customer

    var receiptCopy: ReceiptCopy {
        switch self {
        case .merchant: .merchant
        case .customer: .customer
        }
    }
}
