public import Amounts
internal import EMV

/// What is to be given back.
public struct RefundParameters: Hashable, Sendable {
    /// The key of the refund.
    public var key: IdempotencyKey
    /// The key of the payment that money is given back for.
    public var original: IdempotencyKey
    public var stan: UInt32
    public var amount: Money

    public init(key: IdempotencyKey, original: IdempotencyKey, stan: UInt32, amount: Money) {
        (self.key, self.original, self.stan, self.amount) = (key, original, stan, amount)
    }
}

/// A refund that the host approved.
public struct RefundResult: Hashable, Sendable {
    /// The host's reference (DE 37).
    public let reference: String
    /// DE 38, when the host gave one.
    public let authorisationCode: String?
    /// DE 39
    public let responseCode: String

    public init(reference: String, authorisationCode: String?, responseCode: String) {
        (self.reference, self.authorisationCode) = (reference, authorisationCode)
        self.responseCode = responseCode
    }

    /// What the host's answer says of a refund that it approved.
    public init(_ response: AuthorizationResponse) {
        self.init(
            reference: response.reference, authorisationCode: response.answer.authorisationCode,
            responseCode: response.responseCode)
    }
}
