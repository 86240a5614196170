/// How the cardholder was verified (tag 9F34, EMV Book 4 §6.3.4.5 and annex A4).
public struct CVMResults: Hashable, Sendable, CustomStringConvertible {
    /// Byte 3
    public enum Result: UInt8, Hashable, Sendable {
        /// Signature, or online PIN: somebody else judges.
        case unknown = 0
        case failed = 1
        case successful = 2
    }

    /// The method as in the card's list, b7 included; 3F when none was performed.
    public let method: UInt8
    /// The condition as in the card's list.
    public let condition: UInt8
    public let result: Result

    /// 3F0000: the card does not want the cardholder verified.
    public static let notPerformed = CVMResults(method: 0x3F, condition: 0, result: .unknown)
    /// 3F0001: none of the card's rules came to be performed.
    public static let noRulePerformed = CVMResults(method: 0x3F, condition: 0, result: .failed)

    init(method: UInt8, condition: UInt8, result: Result) {
        (self.method, self.condition, self.result) = (method, condition, result)
    }

    init(_ rule: CVMRule, _ result: Result) {
        self.init(method: rule.methodByte, condition: rule.conditionByte, result: result)
    }

    /// The value field, three bytes.
    public var bytes: [UInt8] { [method, condition, result.rawValue] }

    /// Six hexadecimal digits.
    public var description: String { bytes.hexadecimal }

    /// What a journal and a receipt call it.
    public var verification: CardholderVerificationKind {
        guard result != .failed else { return .failed }
        return switch CVMethod(code: method & 0x3F) {
        case .plaintextPIN: .plaintextOfflinePIN
        case .encipheredPIN: .encipheredOfflinePIN
        case .onlinePIN: .onlinePIN
        case .plaintextPINAndSignature: .plaintextOfflinePINAndSignature
        case .encipheredPINAndSignature: .encipheredOfflinePINAndSignature
        case .signature: .signature
        case .noCVMRequired: .noCVMRequired
        case .fail, .biometric, nil: .notPerformed
        }
    }
}

/// The cardholder verification of a transaction, for journal and receipt.
public enum CardholderVerificationKind: String, Hashable, Sendable {
    case notPerformed, failed, noCVMRequired, signature, plaintextOfflinePIN, encipheredOfflinePIN, onlinePIN
    case plaintextOfflinePINAndSignature, encipheredOfflinePINAndSignature

    /// Whether the receipt needs the cardholder's signature.
    public var needsSignature: Bool {
        switch self {
        case .signature, .plaintextOfflinePINAndSignature, .encipheredOfflinePINAndSignature: true
        default: false
        }
    }
}
