internal import ArgumentParser
internal import Hardware

/// Of what a receipt is.
enum ReceiptKind: String, ExpressibleByArgument, CaseIterable, Sendable {
    case sale
    case refund
    case void

    var content: ReceiptContent.Kind {
        switch self {
        case .sale: .sale
        case .refund: .refund
        case .void: .void
        }
    }
}
