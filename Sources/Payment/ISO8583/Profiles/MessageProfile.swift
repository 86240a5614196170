/// A dialect of ISO 8583: everything that one host does differently from others.
public struct MessageProfile: Sendable {
    /// The name, as errors and the configuration have it.
    public var name: String
    /// What it is for, in one sentence.
    public var summary: String
    public var version: MessageVersion
    public var connection: ConnectionStyle
    public var connectTimeout: Duration
    public var frame: FrameFormat
    public var keepAlive: KeepAlive
    public var header: HeaderFormat
    public var encoding: MessageEncoding
    public var table: FieldTable
    public var values: ProfileValues
    /// The messages that the host knows.
    public var messages: [MessageKind: MessageForm]
    public var matching: MatchingRules
    public var results: ResultRules
    public var security: SecurityRules
    public var timing: TimingRules
    public var limits: LimitRules

    /// The codec of the dialect. It makes tables: keep it.
    public func makeCodec() -> MessageCodec {
        MessageCodec(version: version, encoding: encoding, table: table, header: header)
    }
}

/// How connections are used.
public enum ConnectionStyle: String, CaseIterable, Hashable, Sendable {
    /// One connection for many messages.
    case kept
    /// One connection for each request.
    case perTransaction
}

/// What keeps an idle connection alive.
public struct KeepAlive: Hashable, Sendable {
    public enum Kind: String, CaseIterable, Hashable, Sendable {
        case none
        /// A frame without a message.
        case zeroLength
        /// The message `echo`.
        case echo
    }

    public var kind = Kind.none
    /// The silence after which it is sent.
    public var interval = Duration.seconds(60)
    /// Whether one of the other side is answered.
    public var isAnswered = true

    public init() {}
}

/// The kinds of messages that a profile describes.
public enum MessageKind: String, CaseIterable, Hashable, Sendable {
    /// Asks for money that is taken later, by a completion.
    case authorization
    /// Takes money at once.
    case sale
    case refund
    case void
    /// Raises the amount of an authorization.
    case increment
    case reversal
    /// Takes the money of an authorization.
    case completion
    /// Tells about a sale that the card approved offline.
    case offlineAdvice
    /// Tells about a sale that was declined offline.
    case declineAdvice
    case signOn
    case signOff
    case echo
    case keyExchange
    case settlement
    /// One transaction of a batch whose totals differed.
    case upload
    /// Asks for the result of a request that got no answer.
    case inquiry
}

/// The type and the fields of a message.
public struct MessageForm: Hashable, Sendable {
    public var type: MessageType
    /// The type of the answer.
    public var answer: MessageType
    /// The type of a repeat.
    public var repeated: MessageType
    /// The entry of ``ProfileValues/processing`` that field 3 gets; nil when the message has none.
    public var processing: String?
    /// Field 24 of 1993 and 2003.
    public var function: String?
    /// Field 25 of 1993 and 2003.
    public var reason: String?
    /// Field 70 of 1987; nil when the message has none.
    public var code: String?
    /// The fields that the message always has.
    public var mandatory: FieldSet
    /// The fields that it has when there is a value.
    public var conditional: FieldSet
    public var settlement: SettlementForm?
    public var keyExchange: KeyExchangeForm?

    /// Where a settlement has its totals.
    public enum Totals: String, CaseIterable, Hashable, Sendable {
        /// Fields 74 to 97.
        case fields
        /// Field 74 of 2003.
        case field74
        case none
    }

    /// What a settlement has besides other messages.
    public struct SettlementForm: Hashable, Sendable {
        /// How transactions count that were taken back before the settlement.
        public enum Reversed: String, CaseIterable, Hashable, Sendable {
            /// Among the debits or credits, and among their reversals.
            case both
            /// Nowhere, as at hosts of terminal networks.
            case none
        }

        public var totals: Totals
        public var reversed = Reversed.both
    }

    /// Where the answer to a key exchange has the key.
    public struct KeyExchangeForm: Hashable, Sendable {
        public enum KeyForm: String, CaseIterable, Hashable, Sendable {
            /// The key under the terminal's master key, each block for itself, and a check value.
            case tdesEcbUnderTMK
            /// The same with AES.
            case aesEcbUnderTMK
            case tr31
        }

        public var field: Int
        public var form: KeyForm
        /// The bytes of the check value behind the key.
        public var checkValueLength: Int
    }
}

/// Where the values of fields come from.
public struct ProfileValues: Hashable, Sendable {
    /// Values that are the same in every message, by field.
    public var fixed: [Int: String] = [:]
    /// Field 25 of 1987, by situation.
    public var condition: [String: String] = [:]
    /// Field 3, by transaction.
    public var processing: [String: String] = [:]
    /// The first digits of field 22 in 1987, or positions 7 of field 22 in 1993, by the way the card was read.
    public var entryMode: [String: String] = [:]
    /// The last digit of field 22 in 1987, by the terminal's pad.
    public var pinCapability: [String: String] = [:]
    /// Why a message is reversed.
    public var reversalReason: [String: String] = [:]
    /// The field of the reason of a reversal; nil when it has none.
    public var reversalReasonField: Int?
    public var reference = ReferenceNumber.none
    /// The widths of name, city, and country in field 43.
    public var location: [Int] = [25, 13, 2]
    /// The tags of field 55, by message; those of an absent one are not sent.
    public var chip: [String: [UInt32]] = [:]

    /// Who makes field 37.
    public enum ReferenceNumber: String, CaseIterable, Hashable, Sendable {
        /// The terminal: last digit of the year, day of the year, hour, and the last six digits of the trace number.
        case terminal
        case host
        case none
    }

    public init() {}
}

/// How an answer is matched with its request.
public struct MatchingRules: Hashable, Sendable {
    /// The fields that must be the same in both.
    public var key: [Int] = [11, 41]
    /// The fields that an answer repeats. Another value makes it no answer.
    public var echoed: [Int] = []
    public var stanOfReversal = ReversalNumber.original
    public var originalData = OriginalDataField.none

    public enum ReversalNumber: String, CaseIterable, Hashable, Sendable {
        /// Field 11 of a reversal is that of the original.
        case original
        case fresh
    }

    /// The field with the data of the original message.
    public enum OriginalDataField: String, CaseIterable, Hashable, Sendable {
        case field90, field56, none
    }

    public init() {}
}

/// What the response codes of field 39 mean for a payment.
public struct ResultRules: Hashable, Sendable {
    public var approved: [String] = []
    /// Approved for a part of the amount, which field 4 has.
    public var partial: [String] = []
    /// Not approved, but the request is reversed.
    public var reverseAnyway: [String] = []
    /// Codes that end a reversal.
    public var reversalDone: [String] = []
    /// Codes that end an advice.
    public var adviceDone: [String] = []
    /// Codes after which keys are exchanged.
    public var newKeysOn: [String] = []
    /// Codes after which the terminal signs on again, because the host has signed it off.
    public var signOnAgainOn: [String] = []
    /// What codes mean, in words.
    public var meanings: [String: String] = [:]

    public init() {}

    /// Returns the meaning of a code in words; nil for an unknown one.
    public func meaning(of code: String) -> String? { meanings[code] }
}

/// MAC and PIN.
public struct SecurityRules: Hashable, Sendable {
    public var mac: MACRule?
    public var pin: PINRule?
    /// The field with the key serial number of DUKPT.
    public var keySerialNumberField: Int?
    /// The name of the key that exchanged keys are enciphered under.
    public var masterKey = "TMK"

    public struct MACRule: Hashable, Sendable {
        public enum Algorithm: String, CaseIterable, Hashable, Sendable {
            /// DES, the last block with one key.
            case iso9797Algorithm1 = "iso9797-1"
            /// The retail MAC.
            case iso9797Algorithm3 = "iso9797-3"
            case cmac
            case hmacSHA256 = "hmac-sha256"
        }

        public var algorithm: Algorithm
        /// The padding method of ISO/IEC 9797-1, 1 or 2.
        public var padding: Int
        /// The bytes of the MAC that are sent; zeros fill the field.
        public var bytes: Int
        public var scheme: KeyScheme
        /// The name of the key.
        public var key: String
        /// The messages that have a MAC, and whose answers have one.
        public var messages: Set<MessageKind>
        /// The field with the key serial number of DUKPT; nil for that of ``SecurityRules/keySerialNumberField``.
        public var keySerialNumberField: Int?
        /// Whether DUKPT has one key for requests and answers, and not one for each.
        public var isBothWays: Bool

        public init(
            algorithm: Algorithm, padding: Int = 1, bytes: Int = 8, scheme: KeyScheme = .masterSession, key: String,
            messages: Set<MessageKind>, keySerialNumberField: Int? = nil, isBothWays: Bool = false
        ) {
            (self.algorithm, self.padding, self.bytes) = (algorithm, padding, bytes)
            (self.scheme, self.key, self.messages) = (scheme, key, messages)
            (self.keySerialNumberField, self.isBothWays) = (keySerialNumberField, isBothWays)
        }
    }

    public struct PINRule: Hashable, Sendable {
        /// The format of ISO 9564: 0 or 4.
        public var format: Int
        public var scheme: KeyScheme
        public var key: String

        public init(format: Int, scheme: KeyScheme = .masterSession, key: String) {
            (self.format, self.scheme, self.key) = (format, scheme, key)
        }
    }

    /// Where a working key comes from.
    public enum KeyScheme: String, CaseIterable, Hashable, Sendable {
        /// The host sends it under a master key.
        case masterSession
        case dukptTDES, dukptAES

        /// The bytes of a key serial number; nil without DUKPT.
        public var keySerialNumberLength: Int? {
            switch self {
            case .masterSession: nil
            case .dukptTDES: 10
            case .dukptAES: 12
            }
        }
    }

    /// The field with the key serial number of MACs under DUKPT; nil when MACs have none.
    public var macKeySerialNumberField: Int? {
        guard let mac, mac.scheme != .masterSession else { return nil }
        return mac.keySerialNumberField ?? keySerialNumberField
    }

    public init() {}
}

/// How long things take.
public struct TimingRules: Hashable, Sendable {
    /// The longest time to an answer.
    public var answer = Duration.seconds(45)
    public var reversalAnswer = Duration.seconds(30)
    /// The pauses before the repeats of a reversal or advice. The last one goes on.
    public var backoff: [Duration] = [.zero, .seconds(5), .seconds(15), .seconds(60), .seconds(300)]
    /// The number of tries after which a person has to look; nil for never.
    public var stopAfter: Int?
    /// Whether nothing new is sent while a reversal is open.
    public var oneOpenReversal = true

    public init() {}
}

/// Numbers within limits.
public struct LimitRules: Hashable, Sendable {
    public var stan = 1...999_999
    /// The most advices that wait for the host.
    public var storedAdvices = 100
    /// The greatest age of an advice.
    public var storedAdviceAge = Duration.seconds(86_400)

    public init() {}
}
