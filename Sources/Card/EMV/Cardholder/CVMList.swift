import Text

/// One rule of a CVM list: two bytes (EMV Book 3 annex C3).
struct CVMRule: Hashable, Sendable {
    let methodByte: UInt8
    let conditionByte: UInt8

    /// The method; nil for an unknown code.
    var method: CVMethod? { CVMethod(code: methodByte & 0x3F) }
    /// The condition; nil for an unknown code.
    var condition: CVMCondition? { CVMCondition(rawValue: conditionByte) }
    /// Whether the next rule is tried when this one fails (b7).
    var continuesOnFailure: Bool { methodByte & 0x40 != 0 }
}

/// The card's list of cardholder verification methods (tag 8E, EMV Book 3 §10.5).
struct CVMList: Hashable, Sendable {
    /// In minor units of the application currency, like ``amountY``.
    let amountX: UInt32
    let amountY: UInt32
    let rules: [CVMRule]

    /// - Returns: nil unless the bytes are two amounts of four bytes followed by rules of two bytes.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= 8, bytes.count.isMultiple(of: 2) else { return nil }
        amountX = bytes[0..<4].reduce(0) { $0 << 8 | UInt32($1) }
        amountY = bytes[4..<8].reduce(0) { $0 << 8 | UInt32($1) }
        var rules: [CVMRule] = []
        var rest = bytes[8...]
        while let method = rest.popFirst(), let condition = rest.popFirst() {
            rules.append(CVMRule(methodByte: method, conditionByte: condition))
        }
        self.rules = rules
    }
}

/// A cardholder verification method (EMV Book 3 annex C3, byte 1 of a rule without b7).
enum CVMethod: Hashable, Sendable {
    case fail
    case plaintextPIN
    case onlinePIN
    case plaintextPINAndSignature
    case encipheredPIN
    case encipheredPINAndSignature
    case signature
    case noCVMRequired
    /// Codes 06...0F: recognized, but the kernel supports no biometric capture device.
    case biometric

    /// - Returns: nil for a code that EMV reserves or leaves to payment systems and issuers.
    init?(code: UInt8) {
        switch code {
        case 0x00: self = .fail
        case 0x01: self = .plaintextPIN
        case 0x02: self = .onlinePIN
        case 0x03: self = .plaintextPINAndSignature
        case 0x04: self = .encipheredPIN
        case 0x05: self = .encipheredPINAndSignature
        case 0x06...0x0F: self = .biometric
        case 0x1E: self = .signature
        case 0x1F: self = .noCVMRequired
        default: return nil
        }
    }

    /// The terminal capabilities that the method requires.
    private var neededCapabilities: TerminalCapabilities {
        switch self {
        case .fail, .biometric: []
        case .plaintextPIN: .plaintextOfflinePIN
        case .onlinePIN: .encipheredOnlinePIN
        case .plaintextPINAndSignature: [.plaintextOfflinePIN, .signature]
        case .encipheredPIN: .encipheredOfflinePIN
        case .encipheredPINAndSignature: [.encipheredOfflinePIN, .signature]
        case .signature: .signature
        case .noCVMRequired: .noCVMRequired
        }
    }

    /// Whether the terminal supports the method. Every terminal supports ``fail``.
    func isSupported(by capabilities: TerminalCapabilities) -> Bool {
        self != .biometric && capabilities.isSuperset(of: neededCapabilities)
    }

    /// Returns the TVR bits to set when a rule requires the method and the terminal does not support it (§10.5.1,
    /// §10.5.2). A terminal with one kind of offline PIN counts as supporting offline PIN.
    func findingsWhenUnsupported(_ capabilities: TerminalCapabilities) -> TerminalVerificationResults {
        switch self {
        case .plaintextPIN, .encipheredPIN, .plaintextPINAndSignature, .encipheredPINAndSignature:
            capabilities.isDisjoint(with: [.plaintextOfflinePIN, .encipheredOfflinePIN]) ? .pinPadNotWorking : []
        case .onlinePIN: .pinPadNotWorking
        case .biometric: .biometricCaptureNotWorking
        case .fail, .signature, .noCVMRequired: []
        }
    }
}

/// When a rule of the CVM list applies (EMV Book 3 annex C3, byte 2 of a rule).
enum CVMCondition: UInt8, Hashable, Sendable {
    case always = 0x00
    case unattendedCash = 0x01
    case notCashAndNotCashback = 0x02
    case terminalSupportsMethod = 0x03
    case manualCash = 0x04
    case cashback = 0x05
    case underX = 0x06
    case overX = 0x07
    case underY = 0x08
    case overY = 0x09
}

/// The transaction properties that CVM conditions refer to.
struct CVMCircumstances: Hashable, Sendable {
    var isAttended: Bool
    var kind: TransactionRequest.Kind
    var hasCashback: Bool
    /// Amount, Authorized, in minor units.
    var amount: Int64
    /// Whether the transaction is in the application currency (9F42); false when the card states none.
    var isInApplicationCurrency: Bool
    var capabilities: TerminalCapabilities

    /// Returns whether `rule` applies. An unknown condition, or one whose data is missing, is not satisfied (§10.5).
    func satisfy(_ rule: CVMRule, in list: CVMList) -> Bool {
        guard let condition = rule.condition else { return false }
        switch condition {
        case .always: return true
        case .unattendedCash: return kind == .cash && !isAttended
        case .notCashAndNotCashback: return kind != .cash && kind != .cashback && !hasCashback
        case .terminalSupportsMethod: return rule.method?.isSupported(by: capabilities) ?? false
        case .manualCash: return kind == .cash && isAttended
        case .cashback: return kind == .cashback || hasCashback
        case .underX: return isInApplicationCurrency && amount < Int64(list.amountX)
        case .overX: return isInApplicationCurrency && amount > Int64(list.amountX)
        case .underY: return isInApplicationCurrency && amount < Int64(list.amountY)
        case .overY: return isInApplicationCurrency && amount > Int64(list.amountY)
        }
    }
}

/// How the cardholder was verified (tag 9F34, EMV Book 4 §6.3.4.5 and annex A4).
public struct CVMResults: Hashable, Sendable, CustomStringConvertible {
    /// Byte 3: the result of the last CVM performed.
    public enum Result: UInt8, Hashable, Sendable {
        /// Signature or online PIN: the result is not known to the terminal.
        case unknown = 0
        case failed = 1
        case successful = 2
    }

    /// The method as in the card's list, b7 included; 3F when none was performed.
    public let method: UInt8
    /// The condition as in the card's list.
    public let condition: UInt8
    public let result: Result

    /// 3F0000: the card does not support cardholder verification.
    public static let notPerformed = CVMResults(method: 0x3F, condition: 0, result: .unknown)
    /// 3F0001: none of the card's rules applied.
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

    /// The verification as one value, for journals and receipts.
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

/// The cardholder verification method of a transaction, for journals and receipts.
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
