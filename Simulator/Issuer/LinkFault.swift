import CardSecrets
import EMV
public import Payments

/// A fault of the way from a till to its issuer: something happens to a request, whatever the issuer does.
public struct LinkFault: Hashable, Sendable {
    /// What happens to the request. The words are those of scenario files.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// It arrives later, also when the till waits no longer, after ``SimulatedIssuer/longestWait``.
        case delayed
        /// It arrives at once, and a copy of it later. The answer to the copy is dropped.
        case doubled
    }

    public var kind: Kind
    /// How late the request or its copy arrives.
    public var delay: Duration
    /// The kind of message; nil for any.
    public var message: IssuerMessageKind?
    /// The number of messages still affected.
    public var remaining: Int

    /// Does something to the next messages of a kind; nil is any.
    public init(_ kind: Kind, by delay: Duration, message: IssuerMessageKind? = nil, times: Int = 1) {
        (self.kind, self.delay, self.message, remaining) = (kind, delay, message, times)
    }
}

/// An authorization request that outlives the call of the till, for a copy that arrives later.
public final class LateAuthorization: Sendable {
    public let request: AuthorizationRequest

    /// Copies the request of a chip card; nil for a swiped card.
    public init?(_ request: borrowing AuthorizationRequest) {
        switch request.card {
        case .chip(let card):
            self.request = AuthorizationRequest(
                key: request.key, stan: request.stan, amount: request.amount, date: request.date,
                isPreauthorization: request.isPreauthorization, card: .chip(Self.copy(card)))
        case .stripe: return nil
        }
    }

    private static func copy(_ card: borrowing OnlineAuthorizationRequest) -> OnlineAuthorizationRequest {
        switch card.trackTwo {
        case .some(let track):
            return OnlineAuthorizationRequest(
                pan: card.pan.duplicate(), trackTwo: track.duplicate(), panSequenceNumber: card.panSequenceNumber,
                expiry: card.expiry, iccData: card.iccData, pinBlock: card.pinBlock)
        case .none:
            return OnlineAuthorizationRequest(
                pan: card.pan.duplicate(), trackTwo: nil, panSequenceNumber: card.panSequenceNumber,
                expiry: card.expiry, iccData: card.iccData, pinBlock: card.pinBlock)
        }
    }
}

/// An act of a second till on the database of a session, beside the one that takes payments. The words are those of
/// scenario files.
public enum NeighborAct: String, Hashable, Sendable, CaseIterable {
    /// Its program starts. Everything else starts it, too.
    case start
    /// It recovers open attempts.
    case recover
    /// It notifies the store of what is due.
    case settle
    /// It refunds the rest of the newest payment that was captured.
    case refund
    /// It cancels the payment that it takes.
    case cancel
    /// It dies.
    case crash
}
