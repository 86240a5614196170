import EMV
import Money
public import Payments
import Text

/// One entry of the issuer's ledger. It identifies the account by a keyed hash and never holds a PAN.
public struct IssuerLedgerEntry: Hashable, Sendable, Codable {
    /// The kind of message that the issuer processed. The words are those of the file.
    public enum Kind: String, Hashable, Sendable, Codable {
        /// An authorization was approved or declined.
        case authorization = "authorisation"
        /// An authorization or a refund was reversed, even one that never arrived, so that it cannot arrive later.
        case reversal
        /// A payment that the card approved offline was advised.
        case advice
        /// A refund was approved or declined.
        case refund
        /// An increment of what an authorization holds was approved or declined.
        case increment
        /// The terminal reported how a card ended a transaction. No money moves.
        case notice
        /// A rule lost the message or its answer. The issuer processed nothing; the entry counts the rule's use.
        case unanswered
    }

    /// The answer, repeated for a repeated message.
    public struct Answer: Hashable, Sendable, Codable {
        /// DE 37.
        public var reference: String
        /// DE 39.
        public var responseCode: String
        /// DE 38.
        public var authorizationCode: String?
        /// Tag 91 and the values of templates 71 and 72, in hexadecimal digits.
        var issuerAuthenticationData: String?
        var scriptsBeforeFinal: [String]?
        var scriptsAfterFinal: [String]?

        private enum CodingKeys: String, CodingKey {
            case reference, responseCode
            case authorizationCode = "authorisationCode"
            case issuerAuthenticationData, scriptsBeforeFinal, scriptsAfterFinal
        }

        /// The number of scripts in the answer.
        public var scriptCount: Int { (scriptsBeforeFinal?.count ?? 0) + (scriptsAfterFinal?.count ?? 0) }
    }

    /// The report on earlier issuer scripts in the card verification results.
    public struct ScriptReport: Hashable, Sendable, Codable {
        /// The number of commands that the card processed, 0...15.
        public var commands: Int
        /// Whether one of them failed.
        public var hasFailed: Bool
    }

    public var kind: Kind
    /// The idempotency key of the attempt.
    public var key: IdempotencyKey
    /// The key of the payment that a refund or an increment refers to.
    public var original: IdempotencyKey?
    /// ``IssuerAccount/reference``; nil if the issuer has no such account.
    public var account: String?
    /// The last four digits of the PAN.
    public var lastFour: String?
    /// The approved amount, if the answer names a part.
    public var minorUnits: Int64
    /// The alphabetic currency code.
    public var currency: String
    public var answer: Answer?
    /// The amount that was asked for, when a part of it was approved; nil otherwise.
    public var requested: Int64?
    /// True for an authorization that only holds the amount until an advice captures it, and for its increments; nil
    /// for any other message.
    public var isHold: Bool?
    /// The decline reason; nil for an approval.
    public var reason: IssuerDeclineReason?
    /// The name of the rule that applied; nil if only the account decided.
    public var rule: String?
    /// The kind of message that was left unanswered.
    public var message: IssuerMessageKind?
    /// Tag 9F36 of an authorization with a genuine cryptogram.
    public var counter: UInt16?
    /// The card's report on earlier scripts; nil if there is none.
    public var scriptReport: ScriptReport?
    /// Tag 9F5B as reported by the terminal, in hexadecimal digits: five bytes per script.
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
            authorizationCode: answer.authorizationCode,
            issuerAuthenticationData: answer.issuerAuthenticationData?.lowercaseHexadecimal,
            scriptsBeforeFinal: answer.scriptsBeforeFinal.isEmpty
                ? nil : answer.scriptsBeforeFinal.map(\.lowercaseHexadecimal),
            scriptsAfterFinal: answer.scriptsAfterFinal.isEmpty
                ? nil : answer.scriptsAfterFinal.map(\.lowercaseHexadecimal))
    }

    /// The answer as sent to the terminal.
    var response: AuthorizationResponse {
        AuthorizationResponse(
            reference: reference,
            answer: IssuerAnswer(
                authorizationResponseCode: Array(responseCode.utf8), authorizationCode: authorizationCode,
                issuerAuthenticationData: issuerAuthenticationData.map(Self.bytes),
                scriptsBeforeFinal: (scriptsBeforeFinal ?? []).map(Self.bytes),
                scriptsAfterFinal: (scriptsAfterFinal ?? []).map(Self.bytes)))
    }

    private static func bytes(_ digits: String) -> [UInt8] { [UInt8](hexadecimal: digits) ?? [] }
}
