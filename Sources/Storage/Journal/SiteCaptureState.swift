public import GRDB

/// How far a store site is with the payment of one of its orders.
public enum SiteCaptureState: String, Hashable, Sendable, CaseIterable, DatabaseValueConvertible {
    /// No attempt has been approved: there is nothing to tell.
    case planned
    /// The money is taken, and the site certainly has not heard of it.
    case due
    /// The site is being told, or was about to be.
    case sent
    /// The site gave no clear answer: it may know.
    case unknown
    /// The order at the site shows this payment.
    case confirmed
    /// The site will not take it: the order is gone or closed, or the money went back before the site was told.
    case refused
    /// The order was paid by something else, or another amount is to be paid for it now.
    case conflict

    /// The states that may follow. What is refused or in conflict is looked at again only when somebody asks for it.
    public var successors: Set<SiteCaptureState> {
        switch self {
        case .planned: [.due]
        case .due: [.planned, .due, .sent, .confirmed, .refused, .conflict]
        case .sent, .unknown: [.due, .sent, .unknown, .confirmed, .refused, .conflict]
        case .refused, .conflict: [.sent, .confirmed, .refused, .conflict]
        case .confirmed: []
        }
    }

    /// Whether the site has still to be told, or asked.
    public var isOpen: Bool { [.due, .sent, .unknown].contains(self) }
}
