import EMV
import Payments
import SmartCard

/// The properties of a message to the issuer that rules can match.
struct IssuerMessage {
    let kind: IssuerMessageKind
    /// The account; nil if the issuer has none for the message.
    var account: IssuerAccount?
    var lastFour: String?
    /// The amount; nil for a message about a key that the ledger does not have.
    var amount: (minorUnits: Int64, currency: String)?
    /// Card and terminal data; nil for a message without ICC data.
    var card: Card?

    /// The cardholder verification method by the CVM results (tag 9F34).
    enum Verification: String, Hashable, Sendable, CaseIterable {
        case none, signature, plaintextPIN, encipheredPIN, plaintextPINAndSignature, encipheredPINAndSignature
        case onlinePIN, failed
    }

    /// The place where the PIN was verified.
    enum PINPlace: String, Hashable, Sendable, CaseIterable { case none, offline, online }

    struct Card {
        /// How the card was read (DE 22).
        let entryMode: CardDetails.EntryMode
        /// Tag 9F36; nil if absent.
        let counter: UInt16?
        /// Tag 95.
        let verificationResults: TerminalVerificationResults
        let verification: Verification
        let pinPlace: PINPlace
        /// The issuer's result for the PIN in the message.
        let onlinePIN: IssuerPINCheck.Result

        init(
            _ objects: [BERTLV], entryMode: CardDetails.EntryMode = .chip, hasPINBlock: Bool = false,
            onlinePIN: IssuerPINCheck.Result = .notGiven
        ) {
            self.entryMode = entryMode
            counter = objects.first(0x9F36).flatMap { object in
                object.value.count == 2 ? object.value.reduce(0) { $0 << 8 | UInt16($1) } : nil
            }
            verificationResults =
                objects.first(0x95).flatMap { TerminalVerificationResults(bytes: $0.value) }
                ?? TerminalVerificationResults(rawValue: 0)
            verification = Verification(results: objects.first(0x9F34)?.value ?? [])
            pinPlace =
                hasPINBlock || verification == .onlinePIN ? .online : verification.isOfflinePIN ? .offline : .none
            self.onlinePIN = onlinePIN
        }

        /// Creates the properties of a swiped card, which has no ICC data.
        init(
            _ entryMode: CardDetails.EntryMode, _ verification: Verification, hasPINBlock: Bool,
            onlinePIN: IssuerPINCheck.Result
        ) {
            self.entryMode = entryMode
            (counter, verificationResults) = (nil, TerminalVerificationResults(rawValue: 0))
            (self.verification, self.onlinePIN) = (verification, onlinePIN)
            pinPlace = hasPINBlock ? .online : .none
        }
    }
}

extension IssuerMessage.Verification {
    /// Reads method and result (EMV Book 4 annex A4). Invalid results count as none.
    init(results: [UInt8]) {
        guard results.count == 3, results[2] != 1 else {
            self = results.count == 3 ? .failed : .none
            return
        }
        self =
            switch results[0] & 0x3F {
            case 0x01: .plaintextPIN
            case 0x02: .onlinePIN
            case 0x03: .plaintextPINAndSignature
            case 0x04: .encipheredPIN
            case 0x05: .encipheredPINAndSignature
            case 0x1E: .signature
            default: .none
            }
    }

    var isOfflinePIN: Bool {
        switch self {
        case .plaintextPIN, .encipheredPIN, .plaintextPINAndSignature, .encipheredPINAndSignature: true
        case .none, .signature, .onlinePIN, .failed: false
        }
    }
}

/// A kind of message to the issuer.
public enum IssuerMessageKind: String, Hashable, Sendable, CaseIterable, Codable {
    case authorize, reverse, advise, inquire, refund
}
