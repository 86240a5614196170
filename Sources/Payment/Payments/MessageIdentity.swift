internal import EMV
public import Money
internal import SmartCard

/// The parts of a message that later messages repeat: its type, and the values of its fields, as they were sent.
///
/// A reversal, an advice, or a refund names the original by them (ISO 8583, fields 7, 11, 12, 13, 32, 37, 41, 42, and
/// 49). They are in the journal before the message leaves, so that a process that starts later can take the message
/// back. There is no card data: no field outside ``fieldNumbers`` is kept.
public struct MessageIdentity: Hashable, Sendable, Codable {
    /// The fields that may be kept. Card number, expiration date, tracks, PIN, and chip data are none of them.
    public static let fieldNumbers: Set<Int> = [
        3, 4, 7, 11, 12, 13, 18, 22, 23, 24, 25, 26, 32, 33, 37, 38, 41, 42, 43, 49, 60, 61, 62, 63,
    ]

    /// The message type, four digits.
    public let type: String
    /// The values by field, one byte of ISO 8859-1 for each character.
    public private(set) var fields: [Int: String]
    /// Where the message went, `HOST:PORT`: only that host can take it back. Nil if there is one host only.
    public let destination: String?

    /// Keeps those of the fields that may be kept.
    public init(type: String, fields: [Int: String], destination: String? = nil) {
        (self.type, self.destination) = (type, destination)
        self.fields = fields.filter { Self.fieldNumbers.contains($0.key) }
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            type: try container.decode(String.self, forKey: .type),
            fields: try container.decode([Int: String].self, forKey: .fields),
            destination: try container.decodeIfPresent(String.self, forKey: .destination))
    }

    /// The value of a field; nil when the message has none.
    public subscript(field: Int) -> String? { fields[field] }

    /// Returns the identity with the reference (field 37) and the authorization code (field 38) of the host's answer.
    /// Empty ones change nothing.
    public func answered(reference: String?, authorizationCode: String?) -> MessageIdentity {
        var identity = self
        for (field, value) in [(37, reference), (38, authorizationCode)] {
            if let value, !value.isEmpty { identity.fields[field] = value }
        }
        return identity
    }
}

/// The subject of a message: all that its identity follows from.
public struct MessageSubject: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        case sale
        /// An authorization that is captured later.
        case preauthorization
        case refund
        /// An increment of what a pre-authorization holds.
        case increment
        case advice(AdviceRequest.Purpose)
    }

    public var kind: Kind
    public var key: IdempotencyKey
    /// 1...999,999
    public var stan: UInt32
    public var amount: Money
    /// How the card was read; nil without a card.
    public var entryMode: CardDetails.EntryMode?
    /// Whether the message has a PIN.
    public var isPINEntered: Bool
    /// Tag 5F34
    public var cardSequenceNumber: UInt8?
    /// Of an increment, the message of the authorization with the host's answer; nil otherwise.
    public var original: MessageIdentity?

    public init(
        _ kind: Kind, key: IdempotencyKey, stan: UInt32, amount: Money, entryMode: CardDetails.EntryMode? = nil,
        isPINEntered: Bool = false, cardSequenceNumber: UInt8? = nil, original: MessageIdentity? = nil
    ) {
        (self.kind, self.key, self.stan, self.amount) = (kind, key, stan, amount)
        (self.entryMode, self.isPINEntered) = (entryMode, isPINEntered)
        (self.cardSequenceNumber, self.original) = (cardSequenceNumber, original)
    }
}

extension AuthorizationRequest {
    /// The subject of the request.
    public var subject: MessageSubject {
        let (isPINEntered, sequence): (Bool, UInt8?) =
            switch card {
            case .chip(let chip): (chip.pinBlock != nil, chip.panSequenceNumber)
            case .stripe(let stripe): (stripe.pinBlock != nil, nil)
            }
        return MessageSubject(
            isPreauthorization ? .preauthorization : .sale, key: key, stan: stan, amount: amount,
            entryMode: card.entryMode, isPINEntered: isPINEntered,
            cardSequenceNumber: sequence)
    }
}

extension HostRefundRequest {
    /// The subject of the refund.
    public var subject: MessageSubject { MessageSubject(.refund, key: key, stan: stan, amount: amount) }
}

extension HostIncrementRequest {
    /// The subject of the increment.
    public var subject: MessageSubject {
        MessageSubject(.increment, key: key, stan: stan, amount: amount, original: originalIdentity)
    }
}

extension AdviceRequest {
    /// The subject of the advice. Only a chip decides offline.
    public var subject: MessageSubject {
        let sequence = iccData.first { $0.tag == EMVTag.panSequenceNumber }?.value.first
        return MessageSubject(
            .advice(purpose), key: key, stan: stan, amount: amount, entryMode: .chip,
            cardSequenceNumber: sequence.map { ($0 >> 4) * 10 + $0 & 0xF })
    }
}
