public import CardSecrets
public import Money
public import SmartCard

/// The acquirer's host, which authorizes, reverses, and refunds payments.
///
/// Every message carries the attempt's ``IdempotencyKey``. A host that receives a key again repeats its first answer
/// and does not move money twice.
///
/// No call waits forever: when no answer arrives within the host's own timeout, the call throws
/// ``PaymentHostError/outcomeUnknown(_:)``, and a later answer is ignored.
public protocol PaymentHost: Sendable {
    /// The name that the journal stores with an attempt, so that recovery uses the same host.
    var name: String { get }

    /// Whether the host answers ``inquire(_:identity:)``. It is true unless a host says otherwise.
    ///
    /// Most hosts of ISO 8583 can't be asked. What such a host did not answer is taken back, also a refund: it is then
    /// certain that no money moved, and the refund can be made again. Of an attempt that a restored backup had open,
    /// the result stays unknown until a person has looked.
    var canBeAsked: Bool { get }

    /// Whether the host knows the keys of attempts: it repeats its first answer to a key, and answers
    /// ``lastNumbers(of:)``. A host that can be asked knows them unless it says otherwise.
    ///
    /// A host that finds a message by its fields may have forgotten it, or may never have had it. It is not asked
    /// instead of a reversal, only before one; and whether a backup was restored by hand is not noticed.
    var knowsKeys: Bool { get }

    /// How many advices may wait for the host, and how long, before no card may approve offline any more; nil for no
    /// limit, which is so unless a host says otherwise.
    var adviceLimits: AdviceLimits? { get }

    /// Whether messages after a request demand card data, which ``identity(of:)`` then enciphers for the journal. It is
    /// false unless a host says otherwise; only then is a card copied for it.
    var sealsCardData: Bool { get }

    /// Finds out, without sending anything, whether the card data can be opened that a message about another one needs.
    /// It does nothing unless a host says otherwise.
    ///
    /// - Parameters:
    ///   - message: the message to send.
    ///   - original: the one that it is about, from the journal.
    ///   - key: the key of its attempt.
    /// - Throws: ``PaymentHostError/cardDataClosed(_:)``
    func checkCardData(
        for message: MessageOfOriginal, of original: MessageIdentity, key: IdempotencyKey
    ) async throws(PaymentHostError)

    /// Makes what later messages must repeat of the message about `subject`. The journal keeps it before the message is
    /// sent, and the message about the same key then has these values.
    ///
    /// - Returns: nil when the key is enough for the host, which is so unless a host says otherwise.
    /// - Throws: ``PaymentHostError/notSent(_:)`` when there can be no such message.
    func identity(of subject: MessageSubject) async throws(PaymentHostError) -> MessageIdentity?

    /// Returns the address of the host that gets the first message about `subject`, `HOST:PORT`, for a message that is
    /// sent later, when the card is gone.
    ///
    /// - Returns: nil when there is one host only, which is so unless a host says otherwise.
    func destination(of subject: MessageSubject) -> String?

    /// Requests an authorization and waits for the answer.
    ///
    /// - Throws: ``PaymentHostError/notSent(_:)`` when certainly nothing was sent, otherwise
    ///   ``PaymentHostError/outcomeUnknown(_:)``: the host may have approved.
    func authorize(_ request: borrowing AuthorizationRequest) async throws(PaymentHostError) -> AuthorizationResponse

    /// Requests an authorization as ``authorize(_:)`` does. Where there are several hosts, another one may take over
    /// from one for which not one byte of the request left. A host alone asks itself only.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - onChange: called before the request goes to another host than ``identity(of:)`` named, so that the journal
    ///     has it first. When it throws, nothing is sent.
    /// - Returns: the answer.
    /// - Throws: as ``authorize(_:)``, and the errors of `onChange`.
    func authorize(
        _ request: borrowing AuthorizationRequest, onChange: @escaping HostChange
    ) async throws(PaymentHostError) -> AuthorizationResponse

    /// Reverses an authorization. Reversing one that the host never received, or has already reversed, succeeds.
    func reverse(_ request: ReversalRequest) async throws(PaymentHostError)

    /// Advises the host of a payment that the card approved offline, so that it is cleared, or of how a transaction
    /// ended.
    func advise(_ advice: AdviceRequest) async throws(PaymentHostError)

    /// Asks the host for the result of the message with this key. The question moves nothing.
    ///
    /// - Parameters:
    ///   - key: the key of the attempt.
    ///   - identity: the message, from the journal; nil when the host needs only the key.
    /// - Returns: the result that the host has.
    /// - Throws: ``PaymentHostError`` when the host does not say.
    func inquire(_ key: IdempotencyKey, identity: MessageIdentity?) async throws(PaymentHostError) -> InquiryResult

    /// Asks the host for the largest number that it knows of each identity, to find a database that was restored from a
    /// backup. The answer counts every message that the host received, also one that it declined or that was reversed.
    /// The question moves nothing and is asked once when a till opens, so a host waits only briefly for the answer.
    ///
    /// - Parameter identities: the identities, which are the beginning of their keys; see ``IdempotencyKey``.
    /// - Returns: The largest ``IdempotencyKey/number(of:)`` of each identity that the host knows.
    /// - Throws: ``PaymentHostError`` when the host does not say.
    func lastNumbers(of identities: [String]) async throws(PaymentHostError) -> [String: Int64]

    /// Refunds a captured payment.
    func refund(_ request: HostRefundRequest) async throws(PaymentHostError) -> AuthorizationResponse

    /// Raises the amount that the host holds for a pre-authorization. Every host refuses it unless it says otherwise.
    ///
    /// - Returns: the answer. Without an approval, the host holds what it held.
    /// - Throws: ``PaymentHostError/notSent(_:)`` when certainly nothing was sent, otherwise
    ///   ``PaymentHostError/outcomeUnknown(_:)``: reverse the increment.
    func increment(_ request: HostIncrementRequest) async throws(PaymentHostError) -> AuthorizationResponse
}

/// Records that a request goes to another host: what later messages repeat of it there, and why, in words.
public typealias HostChange =
    @Sendable (_ identity: MessageIdentity, _ reason: String) async throws(PaymentHostError) -> Void

extension PaymentHost {
    public var canBeAsked: Bool { true }

    public func destination(of subject: MessageSubject) -> String? { nil }

    public func authorize(
        _ request: borrowing AuthorizationRequest, onChange: @escaping HostChange
    ) async throws(PaymentHostError) -> AuthorizationResponse { try await authorize(request) }

    public var knowsKeys: Bool { canBeAsked }

    public var adviceLimits: AdviceLimits? { nil }

    public var sealsCardData: Bool { false }

    public func checkCardData(
        for message: MessageOfOriginal, of original: MessageIdentity, key: IdempotencyKey
    ) async throws(PaymentHostError) {}

    /// Asks a host that knows the key for the result of its message.
    ///
    /// - Throws: ``PaymentHostError`` when the host does not say.
    public func inquire(_ key: IdempotencyKey) async throws(PaymentHostError) -> InquiryResult {
        try await inquire(key, identity: nil)
    }

    public func identity(of subject: MessageSubject) async throws(PaymentHostError) -> MessageIdentity? { nil }

    public func increment(_ request: HostIncrementRequest) async throws(PaymentHostError) -> AuthorizationResponse {
        throw .impossible("the host '\(name)' can't raise what it holds")
    }
}

/// Why a host gave no response. None of these errors is a decline.
public enum PaymentHostError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Nothing was sent: it is safe to retry.
    case notSent(String)
    /// The message may have arrived: send a reversal or an inquiry.
    case outcomeUnknown(String)

    public var description: String {
        switch self {
        case .notSent(let reason) where isOfClosedCardData || Self.tellsOfTheImpossible(reason): reason
        case .notSent(let reason): "cannot reach the payment host: \(reason)"
        case .outcomeUnknown(let reason): "the payment host did not confirm it: \(reason)"
        }
    }
}

extension PaymentHostError {
    private static let answered = "the host answered "

    /// The host answered a message that must arrive, with a code that does not confirm it. The message stays open.
    ///
    /// - Parameters:
    ///   - message: what was sent, such as `the reversal`.
    ///   - code: the host's code, with its meaning.
    /// - Returns: the error.
    public static func refused(_ message: String, with code: String) -> PaymentHostError {
        .outcomeUnknown("\(answered)\(message) with \(code)")
    }

    /// Whether the text of an error, as the journal keeps it, tells of a host that answered with such a code.
    public static func tellsOfRefusal(_ text: String) -> Bool { text.contains(answered) }

    private static let never = "nothing was sent, because "

    /// The till can't make the message, and a later try can't either. Nothing was sent.
    ///
    /// - Parameter reason: why the till can't make it, in words.
    /// - Returns: the error.
    public static func impossible(_ reason: String) -> PaymentHostError { .notSent("\(never)\(reason)") }

    /// Whether the text of an error, as the journal keeps it, tells of a message that can't be made.
    public static func tellsOfTheImpossible(_ text: String) -> Bool { text.contains(never) }

    private static let went = "the message went to the host at "

    /// Only another host can have the message. Nothing was sent.
    ///
    /// - Parameters:
    ///   - place: the address of that host, `HOST:PORT`.
    ///   - reason: why it does not get the message now.
    /// - Returns: the error.
    public static func elsewhere(_ place: String, besides reason: String) -> PaymentHostError {
        .notSent("\(went)\(place), and \(reason): use the configuration of that host")
    }

    /// Whether the text of an error, as the journal keeps it, tells of another host that has to get the message.
    public static func tellsOfAnotherHost(_ text: String) -> Bool { text.contains(went) }
}

/// Identifies one attempt to move money. It is created once, stored before the first message that carries it is sent,
/// and sent again with every repetition.
///
/// A till's key is the identity of its database and the number of the attempt, for example `0123456789abcdef-12`.
public struct IdempotencyKey: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
    public let rawValue: String

    /// Takes a stored key as it is. A new one comes from the database's identity and the attempt's number.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Creates the key of an attempt of the database with this identity.
    public init(identity: String, number: Int64) { rawValue = "\(identity)-\(number)" }

    public var description: String { rawValue }

    /// Returns the number of the attempt; nil unless the key belongs to this identity.
    public func number(of identity: String) -> Int64? {
        let start = identity.utf8.count
        guard rawValue.utf8.count > start, rawValue.utf8.starts(with: identity.utf8) else { return nil }
        let rest = rawValue.utf8.dropFirst(start)
        let digits = rest.dropFirst()
        guard rest.first == UInt8(ascii: "-"), digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int64(String(decoding: digits, as: UTF8.self))
    }
}

/// Reverses an authorization (0400/0420).
public struct ReversalRequest: Hashable, Sendable {
    /// The reason that is sent to the host.
    public enum Reason: String, Hashable, Sendable, Codable {
        /// The response did not arrive, or arrived after the timeout.
        case timeout
        /// The card declined after the host had approved.
        case cardDeclined
        /// The merchant or the cardholder canceled.
        case canceled = "cancelled"
        /// The program ended during the payment.
        case interrupted
    }

    /// The key of the attempt to reverse.
    public var key: IdempotencyKey
    public var stan: UInt32
    public var amount: Money
    public var reason: Reason
    /// The ICC data at the end of the transaction; empty when unknown.
    public var iccData: [BERTLV]
    /// The message to reverse, from the journal; nil when the host needs only the key.
    public var identity: MessageIdentity?
    /// Whether this reversal may have been sent before.
    public var isRepeat: Bool
    /// All that a pre-authorization holds, when increments have raised it; nil when the message to reverse has the
    /// amount.
    public var heldTotal: Money?

    /// Asks to take back the message of an attempt. `isRepeat` means that it may have been sent before.
    public init(
        key: IdempotencyKey, stan: UInt32, amount: Money, reason: Reason, iccData: [BERTLV] = [],
        identity: MessageIdentity? = nil, isRepeat: Bool = false
    ) {
        (self.key, self.stan, self.amount, self.reason) = (key, stan, amount, reason)
        (self.iccData, self.identity, self.isRepeat) = (iccData, identity, isRepeat)
    }
}

/// An advice to the issuer about an offline decision or the end of a transaction (0120, 0220).
public struct AdviceRequest: Hashable, Sendable {
    /// The subject of the advice.
    public enum Purpose: String, Hashable, Sendable, Codable {
        /// A payment that the card approved offline, for clearing (0220). It moves money.
        case offlineApproval
        /// A payment that was declined offline, when the card requires an advice (9F27 b4).
        case offlineDecline
        /// The results of the issuer's scripts (9F5B).
        case completion
        /// The capture of what was authorized, all or a part (0220). It moves money.
        case capture

        /// Whether the payment is complete only after the host has received the advice.
        public var movesMoney: Bool { self == .offlineApproval || self == .capture }
    }

    public var key: IdempotencyKey
    public var stan: UInt32
    public var amount: Money
    /// The last four digits of the PAN.
    public var lastFour: String
    /// The ICC data with the last cryptogram.
    public var iccData: [BERTLV]
    public var purpose: Purpose
    /// The message of the attempt, from the journal; of a capture, that of the completion. Nil when the host needs only
    /// the key.
    public var identity: MessageIdentity?
    /// Of a capture, the message of the authorization with the host's answer; nil otherwise.
    public var original: MessageIdentity?
    /// The first digits of the card number, which choose among several hosts; nil when they are not known any more.
    public var prefix: CardPrefix?
    /// The card, for a host that keeps enciphered what its advices demand of it; nil otherwise, and when the card is
    /// gone. In memory only.
    public var card: KeptCard?
    /// The address of the host that was chosen before; nil for none.
    public var destination: String?
    /// Whether this advice may have been sent before.
    public var isRepeat: Bool
    /// How the card was read that decided offline.
    public var entryMode = CardDetails.EntryMode.chip

    /// Describes an advice. `lastFour` are digits of the PAN; `isRepeat` means that it may have been sent before.
    public init(
        key: IdempotencyKey, stan: UInt32, amount: Money, lastFour: String, iccData: [BERTLV],
        purpose: Purpose = .offlineApproval, identity: MessageIdentity? = nil, original: MessageIdentity? = nil,
        isRepeat: Bool = false
    ) {
        (self.key, self.stan, self.amount) = (key, stan, amount)
        (self.lastFour, self.iccData, self.purpose) = (lastFour, iccData, purpose)
        (self.identity, self.original, self.isRepeat) = (identity, original, isRepeat)
    }
}

/// A refund of an earlier payment (0200 with processing code 20).
public struct HostRefundRequest: Hashable, Sendable {
    /// The key of the refund.
    public var key: IdempotencyKey
    /// The key of the payment to refund.
    public var original: IdempotencyKey
    public var stan: UInt32
    public var amount: Money
    /// The message of the payment with the host's answer, from the journal; nil when the host needs only the key.
    public var originalIdentity: MessageIdentity?

    /// Describes a refund by the keys of its own attempt and of the sale that it gives back.
    public init(
        key: IdempotencyKey, original: IdempotencyKey, stan: UInt32, amount: Money,
        originalIdentity: MessageIdentity? = nil
    ) {
        (self.key, self.original, self.stan, self.amount) = (key, original, stan, amount)
        self.originalIdentity = originalIdentity
    }
}

/// Raises what a pre-authorization holds (an incremental authorization, 0100).
public struct HostIncrementRequest: Hashable, Sendable {
    /// The key of the increment.
    public var key: IdempotencyKey
    /// The key of the pre-authorization.
    public var original: IdempotencyKey
    public var stan: UInt32
    /// What is added.
    public var amount: Money
    /// The message of the pre-authorization with the host's answer, from the journal; nil when the host needs only the
    /// key.
    public var originalIdentity: MessageIdentity?

    public init(
        key: IdempotencyKey, original: IdempotencyKey, stan: UInt32, amount: Money,
        originalIdentity: MessageIdentity? = nil
    ) {
        (self.key, self.original, self.stan, self.amount) = (key, original, stan, amount)
        self.originalIdentity = originalIdentity
    }
}

/// The result of an inquiry about a key.
public enum InquiryResult: Hashable, Sendable {
    /// The host does not know the key: no money moved.
    case notFound
    case approved(AuthorizationResponse)
    case declined(AuthorizationResponse)
    case reversed
}
