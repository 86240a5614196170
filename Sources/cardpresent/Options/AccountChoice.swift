internal import ArgumentParser
internal import Hardware

/// Which of a card's accounts is used.
enum AccountChoice: String, ExpressibleByArgument, CaseIterable, Sendable {
    case savings
    case cheque
    case credit

    var type: AccountType {
        switch self {
        case .savings: .savings
        case .cheque: .cheque
        case .credit: .credit
        }
    }
}
