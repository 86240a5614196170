internal import ArgumentParser
internal import Hardware

/// For whom paper is printed.
enum PaperCopies: String, ExpressibleByArgument, CaseIterable, Sendable {
    case merchant
    case customer
    case both

    var copies: [ReceiptCopy] {
        switch self {
        case .merchant: [.merchant]
        case .customer: [.customer]
        case .both: [.merchant, .customer]
        }
    }
}
