public import Determinism
public import Money

/// An amount that the host holds for a payment, to be captured or canceled later: at a hotel, in a restaurant, or at a
/// fuel pump.
public struct Preauthorization: Hashable, Sendable {
    /// The amount that the host is asked to hold; once it has answered, what it holds, or held until the capture.
    public package(set) var authorized: Money
    /// What is captured: all or a part; nil before the capture begins.
    public package(set) var captured: Money?
    /// When the issuer may give the amount free.
    public package(set) var expiresAt: Timestamp
    /// What was added to the amount and approved, oldest first. ``authorized`` has it.
    public package(set) var increments: [HoldIncrement]

    package init(
        authorized: Money, captured: Money? = nil, expiresAt: Timestamp, increments: [HoldIncrement] = []
    ) {
        (self.authorized, self.captured, self.expiresAt) = (authorized, captured, expiresAt)
        self.increments = increments
    }
}

/// An approved increment of a pre-authorization.
public struct HoldIncrement: Hashable, Sendable {
    /// What was added.
    public let amount: Money
    /// When the approval was recorded.
    public let approvedAt: Timestamp

    package init(amount: Money, approvedAt: Timestamp) { (self.amount, self.approvedAt) = (amount, approvedAt) }
}

/// The message that captures a pre-authorization, a completion (0220). It has a trace number of its own.
public struct CompletionMessage: Hashable, Sendable, Codable {
    /// Field 11 of the completion follows from this number, 1...999,999.
    public let stan: UInt32
    /// The parts that a repeat has in common with the first message; nil before it is made, and at a host that needs
    /// only the key.
    public package(set) var identity: MessageIdentity?

    package init(stan: UInt32, identity: MessageIdentity? = nil) { (self.stan, self.identity) = (stan, identity) }
}

/// What became of a payment, as far as a capture or a cancellation needs to know.
public enum PreauthorizationStanding: Hashable, Sendable {
    /// The amount is held.
    case held
    /// The amount was captured, or its capture has begun.
    case captured(Money)
    case canceled
    /// The outcome is open or unknown.
    case open
    /// A restored backup held it, and it may have been captured or canceled since.
    case outdated
    /// The payment was never approved, or never a pre-authorization.
    case none
}

extension Payment {
    /// What became of the pre-authorization.
    public var standing: PreauthorizationStanding {
        guard let preauthorization else { return .none }
        if let captured = preauthorization.captured { return .captured(captured) }
        return switch state {
        case .authorized: .held
        case .reversed where errorCode == PaymentErrorCode.canceled: .canceled
        case .pending, .unknown: .open
        default: .none
        }
    }
}
