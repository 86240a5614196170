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
    /// Codes 06...0F: known, and supported by no capture device that the kernel has.
    case biometric

    /// - Returns: nil for a code that EMV reserves or leaves to others.
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

    /// The terminal capabilities without which the method cannot be used.
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

    /// Failing is something that every terminal supports.
    func isSupported(by capabilities: TerminalCapabilities) -> Bool {
        self != .biometric && capabilities.isSuperset(of: neededCapabilities)
    }

    /// The TVR bits when a rule asks for the method and the terminal does not support it (§10.5.1, §10.5.2). A
    /// terminal with one kind of offline PIN counts as one that supports offline PIN.
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
