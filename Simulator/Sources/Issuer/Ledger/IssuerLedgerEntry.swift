internal import Amounts
internal import EMV
public import Hardware

/// One line of the issuer's book. It names the account by a keyed hash and never holds a PAN.
public struct IssuerLedgerEntry: Hashable, Sendable, Codable {
    public enum Kind: String, Hashable, Sendable, Codable {
        /// An authorisation was answered, with an approval or a decline.
        case authorisation
        /// An authorisation or a refund was taken back; also one that never came, so that it may not come late.
        case reversal
        /// A payment that the card approved offline was cleared.
        case advice
        /// A refund was answered, with an approval or a decline.
        case refund
        /// The terminal told how a card ended a transaction. No money moves.
        case notice
        /// A rule lost the message or its answer. The issuer did nothing for it: the line counts the rule's use.
        case unanswered
    }

    /// The answer, so that a repeated message gets the same one.
    public struct Answer: Hashable, Sendable, Codable {
        /// DE 37
        public var reference: String
        /// DE 39
        public var responseCode: String
        /// DE 38
        public var authorisationCode: String?
        /// Tag 91 and the values of templates 71 and 72, in hexadecimal digits.
        var issuerAuthenticationData: String?
        var scriptsBeforeFinal: [String]?
        var scriptsAfterFinal: [String]?

        /// How many scripts went with the answer.
        public var scriptCount: Int { (scriptsBeforeFinal?.count ?? 0) + (scriptsAfterFinal?.count ?? 0) }
    }

    /// What a card's verification results say of the scripts of transactions before.
    public struct ScriptReport: Hashable, Sendable, Codable {
        /// Commands that the card processed, 0...15.
        public var commands: Int
        /// Whether one of them failed.
        public var hasFailed: Bool
    }

    public var kind: Kind
    /// The key of the attempt.
    public var key: IdempotencyKey
    /// The key of the payment that a refund gives money back for.
    public var original: IdempotencyKey?
    /// ``IssuerAccount/reference``; nil when the issuer has no such account.
    public var account: String?
    /// The last four digits of the PAN.
    public var lastFour: String?
    public var minorUnits: Int64
    /// Alphabetic code of the currency.
    public var currency: String
    public var answer: Answer?
    /// Why the answer is a decline; nil when it is none.
    public var reason: IssuerDeclineReason?
    /// The name of the rule that held for the message; nil when the account alone decided.
    public var rule: String?
    /// What kind of message was left unanswered.
    public var message: IssuerMessageKind?
    /// Tag 9F36 of an authorisation with the card's own cryptogram.
    public var counter: UInt16?
    /// What the card reported of earlier scripts; nil when it reported none.
    public var scriptReport: ScriptReport?
    /// Tag 9F5B as the terminal reported it, in hexadecimal digits: five bytes a script.
    public var scriptResults: String?

    init(
        _ kind: Kind, key: IdempotencyKey, original: IdempotencyKey? = nil, account: String? = nil,
        lastFour: String? = nil, amount: Money, answer: AuthorizationResponse? = nil
    ) {
        self.init(
            kind, key: key, original: original, account: account, lastFour: lastFour, minorUnits: amount.minorUnits,
            currency: amount.currency.code, answer: answer)
    }

    init(
        _ kind: Kind, key: IdempotencyKey, original: IdempotencyKey? = nil, account: String? = nil,
        lastFour: String? = nil, minorUnits: Int64, currency: String, answer: AuthorizationResponse? = nil
    ) {
        (self.kind, self.key, self.original) = (kind, key, original)
        (self.account, self.lastFour) = (account, lastFour)
        (self.minorUnits, self.currency) = (minorUnits, currency)
        self.answer = answer.map(Answer.init)
    }
}

extension IssuerLedgerEntry.Answer {
    init(_ response: AuthorizationResponse) {
        let answer = response.answer
        self.init(
            reference: response.reference, responseCode: response.responseCode,
            authorisationCode: answer.authorisationCode,
            issuerAuthenticationData: answer.issuerAuthenticationData?.hexadecimal,
            scriptsBeforeFinal: answer.scriptsBeforeFinal.isEmpty ? nil : answer.scriptsBeforeFinal.map(\.hexadecimal),
            scriptsAfterFinal: answer.scriptsAfterFinal.isEmpty ? nil : answer.scriptsAfterFinal.map(\.hexadecimal))
    }

    /// The answer as it went to the terminal.
    var response: AuthorizationResponse {
        AuthorizationResponse(
            reference: reference,
            answer: IssuerAnswer(
                authorisationResponseCode: Array(responseCode.utf8), authorisationCode: authorisationCode,
                issuerAuthenticationData: issuerAuthenticationData.map(Self.bytes),
                scriptsBeforeFinal: (scriptsBeforeFinal ?? []).map(Self.bytes),
                scriptsAfterFinal: (scriptsAfterFinal ?? []).map(Self.bytes)))
    }

    private static func bytes(_ digits: String) -> [UInt8] {
        let nibbles = digits.compactMap(\.hexDigitValue).map { UInt8($0) }
        return stride(from: 0, to: nibbles.count - 1, by: 2).map { nibbles[$0] << 4 | nibbles[$0 + 1] }
    }
}
