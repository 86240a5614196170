/// Why the simulated issuer declined: more than the response code says, for its own book.
public enum IssuerDeclineReason: String, Hashable, Sendable, Codable, CaseIterable {
    /// No account has this PAN.
    case unknownAccount
    /// Data that the cryptogram is made over are missing, or of a wrong length.
    case missingCryptogramData
    /// Issuer application data (tag 9F10) in no layout that the issuer knows.
    case unknownCryptogramVersion
    /// The card's keys come from a master key that the issuer does not have.
    case unknownKeyIndex
    /// The cryptogram is not the card's own.
    case wrongCryptogram
    /// The issuer has seen the cryptogram before.
    case replayedCryptogram
    /// The account wants a rising counter, and it did not rise.
    case counterNotRising
    /// The stripe's card verification value is not the issuer's, or not there.
    case wrongVerificationValue
    /// A card with a chip was swiped, and no chip is said to have failed.
    case chipNotUsed
    /// The card is for its own country alone.
    case abroad
    /// The account's own response code.
    case accountResponse
    case expiredCard
    case wrongPIN
    case pinRequired
    case tooManyPINTries
    case overAmountLimit
    case insufficientFunds
    /// A rule's response code.
    case rule
    /// A refund of a payment that the book does not have.
    case noSuchPayment
    /// A refund of more than is left.
    case refundTooLarge
}

/// What the issuer answers, and why.
struct IssuerDecision: Hashable, Sendable {
    /// DE 39
    var responseCode: String
    /// nil for an approval.
    var reason: IssuerDeclineReason?

    init(_ code: ResponseCode, _ reason: IssuerDeclineReason? = nil) {
        (responseCode, self.reason) = (code.rawValue, reason)
    }

    init(responseCode: String, _ reason: IssuerDeclineReason) {
        self.responseCode = responseCode
        self.reason = ["00", "10", "11"].contains(responseCode) ? nil : reason
    }
}
