public import Determinism
public import Money
public import Payments
import ScenarioFormat
public import Simulator
import SmartCard
import Text
public import TillConfiguration

/// The options and the outcome of a recorded payment.
public struct RecordedPayment: Sendable {
    /// The amount, including the tip.
    public var amount: Money
    /// Options that a scenario can't repeat, as text for people.
    public var leftOut: [String] = []
    /// The time that the reader waited for a card.
    public var timeout: Duration
    /// Whether the payment was forced online.
    public var isForcedOnline: Bool
    /// The outcome: `approved`, `declined`, …
    public var outcome: String
    /// The error code; nil without an error.
    public var errorCode: String?
    /// The state in the records; nil when it was not recorded.
    public var state: String?
    /// The card details; nil when no card was read.
    public var card: CardDetails?
    /// The lines of the customer's receipt that don't depend on time and place.
    public var receipt: [String] = []

    /// Describes a payment. `outcome` is a word such as `approved`; nil means that there was no error, state, or card.
    public init(
        amount: Money, timeout: Duration = .seconds(60), isForcedOnline: Bool = false, outcome: String,
        errorCode: String? = nil, state: String? = nil, card: CardDetails? = nil
    ) {
        (self.amount, self.timeout, self.isForcedOnline) = (amount, timeout, isForcedOnline)
        (self.outcome, self.errorCode, self.state, self.card) = (outcome, errorCode, state, card)
    }
}

/// The environment of a recorded payment. Decides what a replay simulates anew and what it takes from the recording.
public struct RecordedPlace: Sendable {
    /// A simulated reader and card, which a replay can reproduce with the same seed.
    public struct Simulation: Sendable {
        public var model: SimulatedReader
        /// The name or path of the card's profile.
        public var cardName: String
        public var card: CardProfile
        /// The random seed.
        public var seed: UInt64
        /// The PIN that the cardholder was to enter; nil for that of the profile. Only whether it was right is
        /// recorded.
        public var pin: SealedBytes?

        /// Takes what a replay needs to simulate the same again. A nil `pin` is that of the profile.
        public init(model: SimulatedReader, cardName: String, card: CardProfile, seed: UInt64, pin: SealedBytes?) {
            (self.model, self.cardName, self.card) = (model, cardName, card)
            (self.seed, self.pin) = (seed, pin)
        }
    }

    /// The simulated reader and card; nil for real ones.
    public var simulation: Simulation?
    /// The time at which the payment began.
    public var start: Timestamp
    /// The local time zone, in seconds east of UTC.
    public var utcOffsetSeconds: Int
    public var till: TillConfiguration
    public var issuerRules: IssuerRules

    /// Describes a till. A nil `simulation` means a real reader and card, whose answers the recording has.
    public init(
        simulation: Simulation? = nil, start: Timestamp, utcOffsetSeconds: Int, till: TillConfiguration,
        issuerRules: IssuerRules = IssuerRules()
    ) {
        (self.simulation, self.start, self.utcOffsetSeconds) = (simulation, start, utcOffsetSeconds)
        (self.till, self.issuerRules) = (till, issuerRules)
    }
}

/// An error of a recording. It contains no card data.
public enum RecordingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The scenario cannot be written, or cannot be read again.
    case notWritable(String)
    /// The scenario's expectations fail in a replay, even after corrections.
    case notReplayable(String)

    public var description: String {
        switch self {
        case .notWritable(let reason): "the payment cannot be written as a scenario: \(reason)"
        case .notReplayable(let reason): "the recording cannot be replayed: \(reason)"
        }
    }
}

/// The names of the set bits of the terminal's TVR and TSI.
struct RecordedBits {
    /// Terminal verification results, tag 95.
    let tvr: [String]
    /// Transaction status information, tag 9B.
    let tsi: [String]

    init(_ card: CardDetails?) {
        tvr =
            card?.terminalVerificationResults.flatMap { [UInt8](hexadecimal: $0) }.flatMap(
                VerificationBitNames.names(inTVR:)) ?? []
        tsi =
            card?.transactionStatusInformation.flatMap { [UInt8](hexadecimal: $0) }.flatMap(
                VerificationBitNames.names(inTSI:)) ?? []
    }
}

/// Masks secrets in issuer scripts.
enum IssuerScriptMask {
    /// The instructions whose data may hold a PIN or card data: VERIFY, CHANGE REFERENCE DATA, RESET RETRY COUNTER, and
    /// commands that write data, each also in the variant with data objects.
    private static let secret: Set<UInt8> = [
        0x20, 0x21, 0x24, 0x25, 0x2C, 0x2D, 0xD2, 0xD6, 0xD7, 0xDA, 0xDB, 0xDC, 0xDD,
    ]

    /// Returns the value of a template 71 or 72 with zeros in place of secret data.
    static func masked(_ template: [UInt8]) -> [UInt8] {
        guard let objects = try? BERTLV.parse(template) else { return [UInt8](repeating: 0, count: template.count) }
        return objects.flatMap { object in
            guard object.tag == 0x86 else { return object.encoded }
            guard let command = try? CommandAPDU(bytes: object.value) else {
                return BERTLV.encode(0x86, [UInt8](repeating: 0, count: object.value.count))
            }
            guard secret.contains(command.ins), !command.data.isEmpty else { return object.encoded }
            var bytes = object.value
            // The data follow the header and Lc.
            let first = command.isExtended ? 7 : 5
            for index in first..<min(bytes.count, first + command.data.count) { bytes[index] = 0 }
            return BERTLV.encode(0x86, bytes)
        }
    }
}
