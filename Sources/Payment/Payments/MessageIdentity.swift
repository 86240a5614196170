public import CardSecrets
import EMV
import MagneticStripe
public import Money
import SmartCard

/// The parts of a message that later messages repeat: its type, and the values of its fields, as they were sent.
///
/// A reversal, an advice, or a refund names the original by them (ISO 8583, fields 7, 11, 12, 13, 32, 37, 41, 42, and
/// 49). They are in the journal before the message leaves, so that a process that starts later can take the message
/// back. There is no card data in clear: no field outside ``fieldNumbers`` is kept.
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
    /// The name of that host among several; nil if there is one host only.
    public let host: String?
    /// The addresses of the hosts that could not be reached before, in the order of the tries: certainly nothing of
    /// the message left for them. Nil for none.
    public let passedOver: [String]?
    /// The names of the hosts that the message would have gone to, and that rested after a failure. Nil for none.
    public let rested: [String]?
    /// Field 11 of the reversal, where it has a trace number of its own; nil where it has that of the message.
    public let reversalNumber: String?
    /// The card data that later messages demand, enciphered; nil when none does. It has a column of its own in the
    /// journal, and is in no other form of the identity.
    public private(set) var sealed: SealedCardData?

    private enum CodingKeys: String, CodingKey {
        case type, fields, destination, host, passedOver, rested, reversalNumber
    }

    /// Keeps those of the fields that may be kept.
    public init(
        type: String, fields: [Int: String], destination: String? = nil, host: String? = nil, passedOver: [String] = [],
        rested: [String] = [], reversalNumber: String? = nil
    ) {
        (self.type, self.destination, self.host) = (type, destination, host)
        self.rested = rested.isEmpty ? nil : rested
        self.reversalNumber = reversalNumber
        self.passedOver = passedOver.isEmpty ? nil : passedOver
        self.fields = fields.filter { Self.fieldNumbers.contains($0.key) }
    }

    /// Reads the stored identity, and drops fields that may not be kept.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            type: try container.decode(String.self, forKey: .type),
            fields: try container.decode([Int: String].self, forKey: .fields),
            destination: try container.decodeIfPresent(String.self, forKey: .destination),
            host: try container.decodeIfPresent(String.self, forKey: .host),
            passedOver: try container.decodeIfPresent([String].self, forKey: .passedOver) ?? [],
            rested: try container.decodeIfPresent([String].self, forKey: .rested) ?? [],
            reversalNumber: try container.decodeIfPresent(String.self, forKey: .reversalNumber))
    }

    /// Returns the identity as that of a message to one of several hosts.
    ///
    /// - Parameters:
    ///   - host: its name.
    ///   - passedOver: the addresses of the hosts that could not be reached before.
    ///   - rested: the names of the hosts that rested, and would have had the message otherwise.
    /// - Returns: the identity.
    public func going(
        to host: String, passingOver passedOver: [String], rested: [String] = []
    ) -> MessageIdentity {
        MessageIdentity(
            type: type, fields: fields, destination: destination, host: host, passedOver: passedOver,
            rested: rested, reversalNumber: reversalNumber
        ).keeping(sealed)
    }

    /// Why the message goes to another host than its route says, in words; nil when it does not.
    public var detour: String? {
        guard let host, let rested else { return nil }
        let verb = rested.count == 1 ? "rests" : "rest"
        return "to the host \(host): \(rested.joined(separator: " and ")) \(verb) for a minute after a failure"
    }

    /// Returns the identity with enciphered card data, or without.
    public func keeping(_ sealed: SealedCardData?) -> MessageIdentity {
        var identity = self
        identity.sealed = sealed
        return identity
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
    /// The first digits of the card number, which choose among several hosts; nil when they are not known.
    public var prefix: CardPrefix?
    /// Whether the message has a PIN under a key that only one host has.
    public var isPINOfHost = false
    /// The address of the only host that can have the message, `HOST:PORT`, such as that of the payment to refund; nil
    /// when it is free.
    public var destination: String?
    /// Of an increment, a capture, and a refund: the message of the authorization or the sale with the host's answer;
    /// nil otherwise.
    public var original: MessageIdentity?
    /// The key of the attempt of that message; nil where it is that of the subject, or not needed.
    public var originalKey: IdempotencyKey?
    /// The card, for a host that keeps enciphered what later messages demand of it; nil otherwise. In memory only.
    public var card: KeptCard?

    /// Describes a message by its kind and its attempt; the last three values tell how the card was read.
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
        let (pin, sequence, prefix): (EncipheredPINBlock?, UInt8?, CardPrefix) =
            switch card {
            case .chip(let chip): (chip.pinBlock, chip.panSequenceNumber, CardPrefix(chip.pan))
            case .stripe(let stripe): (stripe.pinBlock, nil, CardPrefix(stripe.card.pan))
            }
        var subject = MessageSubject(
            isPreauthorization ? .preauthorization : .sale, key: key, stan: stan, amount: amount,
            entryMode: card.entryMode, isPINEntered: pin != nil, cardSequenceNumber: sequence)
        subject.prefix = prefix
        // A block under DUKPT has the number of its key.
        subject.isPINOfHost = pin?.keySerialNumber.isEmpty == true
        return subject
    }
}

extension HostRefundRequest {
    /// The subject of the refund.
    public var subject: MessageSubject {
        var subject = MessageSubject(.refund, key: key, stan: stan, amount: amount, original: originalIdentity)
        subject.destination = originalIdentity?.destination
        return subject
    }
}

extension HostIncrementRequest {
    /// The subject of the increment.
    public var subject: MessageSubject {
        var subject = MessageSubject(.increment, key: key, stan: stan, amount: amount, original: originalIdentity)
        (subject.destination, subject.originalKey) = (originalIdentity?.destination, original)
        return subject
    }
}

extension AdviceRequest {
    /// The subject of the advice. Only a chip decides offline, with contacts or without.
    public var subject: MessageSubject {
        let sequence = iccData.first { $0.tag == EMVTag.panSequenceNumber }?.value.first
        var subject = MessageSubject(
            .advice(purpose), key: key, stan: stan, amount: amount, entryMode: entryMode,
            cardSequenceNumber: sequence.map { ($0 >> 4) * 10 + $0 & 0xF })
        (subject.prefix, subject.destination) = (prefix, original?.destination ?? destination)
        (subject.original, subject.card) = (original, card)
        return subject
    }
}
