public import Determinism
public import ISO8583
public import Payments
import Text

/// One message about money in the ledger of the simulated acquirer. It has no card number, only its last four digits.
public struct AcquirerRecord: Hashable, Sendable {
    /// What the message asked for. The words are those of the file.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        case authorization, sale, refund, void, completion, reversal, settlement
        /// Raises what an authorization holds.
        case increment
        /// A sale that the card approved offline.
        case offlineAdvice
        /// A sale that was declined offline, or the end of a transaction. It moves nothing.
        case declineAdvice

        /// Whether a message of this kind can move money by itself.
        public var isTransaction: Bool {
            switch self {
            case .authorization, .sale, .refund, .offlineAdvice: true
            case .void, .completion, .reversal, .settlement, .increment, .declineAdvice: false
            }
        }

        /// Whether a message of this kind can be taken back before it arrives, and is refused when it comes late.
        var isRequest: Bool { isTransaction || self == .increment }
    }

    /// What became of the message.
    public enum State: String, Hashable, Sendable, CaseIterable {
        /// An authorization was approved; a completion takes the money.
        case authorized
        /// The message did what it asked for.
        case approved
        case declined
        /// A completion or an advice has taken the place of the transaction.
        case completed
        /// A reversal or a void took the transaction back.
        case reversed
        /// Refunds gave all of the money back.
        case refunded
    }

    /// 1 and up, in the order of the answers.
    public var id: Int64
    /// When the acquirer decided.
    public var at: Timestamp
    public var kind: Kind
    /// The message type, for example `0200`; that of the original message also when a repeat came first.
    public var type: String
    /// Field 41, without blanks on the right.
    public var terminal: String
    /// Field 42; nil without it.
    public var merchant: String?
    /// Field 11.
    public var traceNumber: String
    /// The local date and time (fields 12 and 13), for example `2026-01-02T15:04:05`; empty when the message has none.
    public var localTime: String
    /// Field 7; empty when the message has none.
    public var transmission: String
    /// The amount of the message, in minor units.
    public var amount: Int64
    /// The part that was approved, in minor units; nil for all of the amount.
    public var approved: Int64?
    /// The alphabetic currency code; `XXX`, which is ISO 4217 for no currency, when the message has none.
    public var currency: String
    /// The last four digits of the card number; nil when the message has none.
    public var lastFour: String?
    /// Field 39 of the answer, in the edition of the profile.
    public var response: String
    /// Field 37 of the answer.
    public var reference: String
    /// Field 38 of the answer.
    public var authorizationCode: String?
    /// Field 55 of the answer in hexadecimal digits; nil without it.
    public var chip: String?
    /// The record that the message is about; nil when there is none.
    public var original: Int64?
    /// The trace number and the time of a message to take back that never arrived, so that it cannot arrive later.
    public var missing: String?
    public var state: State
    /// What the transaction moves now, in minor units: less after a reversal, and without its refunds. Of a void, what
    /// it took back.
    public var moved: Int64
    /// The settlement that has closed the batch of the record; nil while the batch is open.
    public var settlement: Int64?

    /// The terminal, the trace number, and the local time: what one message and its repeats have in common.
    public var key: AcquirerKey { AcquirerKey(terminal: terminal, traceNumber: traceNumber, localTime: localTime) }
}

/// What a message and its repeats have in common: terminal, trace number, and local date and time.
public struct AcquirerKey: Hashable, Sendable, CustomStringConvertible {
    public var terminal: String
    public var traceNumber: String
    /// For example `2026-01-02T15:04:05`.
    public var localTime: String

    public init(terminal: String, traceNumber: String, localTime: String) {
        (self.terminal, self.traceNumber, self.localTime) = (terminal, traceNumber, localTime)
    }

    /// For example `TERM0001/000123/2026-01-02T15:04:05`.
    public var description: String { "\(terminal)/\(traceNumber)/\(localTime)" }

    /// The key of what a till sends.
    ///
    /// - Parameters:
    ///   - identity: the fields of the message.
    ///   - version: the edition of its profile.
    ///   - now: when it is sent, to the year, which not every edition has.
    public init(_ identity: MessageIdentity, _ version: MessageVersion, near now: CivilDate) {
        let local = identity[12].flatMap { field12 in
            MessageDates.local(
                MessageDates.LocalTime(field12: field12, field13: version == .v1987 ? identity[13] : nil), version,
                near: now)
        }
        self.init(
            terminal: Self.trimmed(identity[41]), traceNumber: identity[11] ?? "",
            localTime: local?.description ?? identity[7] ?? "")
    }

    /// A number without the blanks on its right; empty without one.
    static func trimmed(_ text: String?) -> String {
        guard let text, let last = text.lastIndex(where: { $0 != " " }) else { return "" }
        return String(text[...last])
    }

    /// The key of the attempt at the simulated issuer.
    public var issuerKey: IdempotencyKey { IdempotencyKey(rawValue: description) }
}
