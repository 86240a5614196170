public import EMV

/// The host's answer to an authorisation or a refund.
public struct AuthorizationResponse: Hashable, Sendable {
    /// The host's own reference for the transaction (DE 37), 12 characters.
    public var reference: String
    /// DE 39, DE 38 and the ICC data.
    public var answer: IssuerAnswer

    public init(reference: String, answer: IssuerAnswer) { (self.reference, self.answer) = (reference, answer) }

    /// DE 39 as text, for example `00` or `51`.
    public var responseCode: String { String(decoding: answer.authorisationResponseCode, as: UTF8.self) }

    /// Whether the issuer approves: response codes 00, 10 and 11.
    public var isApproved: Bool { ["00", "10", "11"].contains(responseCode) }
}
