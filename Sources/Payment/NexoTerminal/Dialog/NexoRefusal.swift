import Payments
import Terminal
import Text

extension NexoFailure {
    /// The failure of a request that the terminal did not carry out; nil when it did.
    init?(_ outcome: TerminalOutcome) {
        switch outcome {
        case .approved, .done: return nil
        case .declined(let decline): self.init(decline)
        case .canceled(.byTill): self.init(.aborted, "104 Merchant cancelled tx")
        case .canceled(.byCardholder): self.init(.cancel, "108 Shopper cancelled tx")
        case .canceled(.timedOut): self.init(.cancel, "126 Shopper did not present card")
        case .failed(let failure): self.init(failure)
        }
    }

    /// The words for a decline, by the issuer's response code (ISO 8583, DE 39).
    private init(_ decline: TerminalDecline) {
        let (condition, message, reason): (NexoCondition, String, String) =
            switch decline.responseCode {
            case "01", "02": (.refusal, "REFERRAL", "214 Declined online")
            case "12", "57": (.refusal, "TRANSACTION_NOT_PERMITTED", "214 Declined online")
            case "13": (.refusal, "INVALID_AMOUNT", "214 Declined online")
            case "14": (.invalidCard, "INVALID_CARD", "214 Declined online")
            case "41", "43", "62": (.refusal, "BLOCK_CARD", "199 Card blocked")
            case "51": (.refusal, "NOT_ENOUGH_BALANCE", "210 Not enough balance")
            case "54": (.refusal, "CARD_EXPIRED", "228 Card expired")
            case "55": (.wrongPIN, "INVALID_PIN", "129 Invalid online PIN")
            case "61": (.refusal, "WITHDRAWAL_AMOUNT_EXCEEDED", "211 Withdrawal amount exceeded")
            case "65": (.refusal, "WITHDRAWAL_COUNT_EXCEEDED", "212 Withdrawal count exceeded")
            case "75": (.refusal, "PIN_TRIES_EXCEEDED", "128 Online PIN tries exceeded")
            case "91": (.refusal, "ISSUER UNAVAILABLE", "207 Issuer unavailable")
            case "96": (.refusal, "ERROR", "214 Declined online")
            case nil: (.refusal, "DECLINED", "214 Declined offline")
            default: (.refusal, "DECLINED", "214 Declined online")
            }
        self.init(condition, message, [.init(name: "refusalReason", value: reason)])
    }

    private init(_ failure: TerminalFailure) {
        switch failure {
        case .cardUnreadable: self.init(.invalidCard, "The card can't be read")
        case .cardRemoved: self.init(.cancel, "CANCELLED Card removed")
        case .cardExpired: self.init(.invalidCard, "The card has expired")
        case .cardNotAccepted: self.init(.invalidCard, "The card is not accepted")
        case .chipError: self.init(.invalidCard, "The chip does not work")
        case .readerDefective: self.init(.deviceOut, "The card reader does not work")
        case .hostUnreachable: self.init(.unreachableHost, "No answer from the host: nothing was charged")
        case .unknownTransaction: self.init(.notFound, "Transaction not found")
        case .alreadyReversed: self.init(.notAllowed, "Transaction is already voided")
        case .notReversible: self.init(.notAllowed, "The transaction can't be taken back")
        case .notSupported: self.init(.unavailableService, "The terminal does not do this")
        case .outOfPaper: self.init(.unavailableDevice, "The printer is out of paper")
        case .wrongCurrency: self.init(.notAllowed, "The terminal does not take this currency")
        case .amountTooLarge: self.init(.notAllowed, "The amount is too large")
        case .notSettled: self.init(.unreachableHost, "The host did not settle")
        case .internalError: self.init(.deviceOut, "The terminal failed")
        }
    }
}

/// The event at a simulated reader that follows from the last three digits of an amount's minor units, as at the
/// vendor's test terminals.
public enum NexoTestAmount: Hashable, Sendable {
    /// The issuer answers with this code (ISO 8583, DE 39).
    case responseCode(String)
    /// The cardholder cancels.
    case cardholderCancels

    /// Nil for amounts that decide nothing.
    public init?(minorUnits: Int64) {
        switch minorUnits % 1000 {
        case 121, 122, 123, 144, 147, 151, 162: self = .responseCode("05")
        case 124, 139: self = .responseCode("51")
        case 125, 148: self = .responseCode("62")
        case 126: self = .responseCode("54")
        case 127: self = .responseCode("13")
        case 128: self = .responseCode("14")
        case 129, 146: self = .responseCode("57")
        case 130: self = .responseCode("96")
        case 133: self = .responseCode("01")
        case 134: self = .responseCode("55")
        case 135: self = .responseCode("75")
        case 136: self = .responseCode("91")
        case 137: self = .responseCode("61")
        case 138: self = .responseCode("65")
        case 154, 166: self = .cardholderCancels
        default: return nil
        }
    }
}
