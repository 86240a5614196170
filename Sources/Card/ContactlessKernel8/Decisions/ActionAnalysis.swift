/// The kernel's decision about a transaction (Book C-8), and with it the cryptogram that it asks for.
public enum Kernel8Decision: Hashable, Sendable, CaseIterable {
    case accept, online, decline

    /// P1 of GENERATE AC, the reference control parameter: TC, ARQC, or AAC.
    public var referenceControlParameter: UInt8 {
        switch self {
        case .accept: 0x40
        case .online: 0x80
        case .decline: 0x00
        }
    }

    /// Decides by the results and the terminal action codes. There are no codes of the issuer, and no default codes.
    ///
    /// The kernel decides before GENERATE AC, and once more after it without another command.
    ///
    /// - Parameters:
    ///   - results: the TVR.
    ///   - denial: terminal action code denial (tag 9F820B).
    ///   - online: terminal action code online (tag 9F820C).
    ///   - terminalType: tag 9F35.
    ///   - isOfflineCapable: byte 2, bit 08 of the application interchange profile.
    public init(
        _ results: Kernel8VerificationResults, denial: Kernel8VerificationResults, online: Kernel8VerificationResults,
        terminalType: UInt8, isOfflineCapable: Bool
    ) {
        guard results.isDisjoint(with: denial) else {
            self = .decline
            return
        }
        switch terminalType {
        case 0x11, 0x21, 0x14, 0x24, 0x34: self = .online
        case 0x23, 0x26, 0x36, 0x13, 0x16: self = isOfflineCapable ? .accept : .decline
        default: self = isOfflineCapable && results.isDisjoint(with: online) ? .accept : .online
        }
    }
}

/// The type of a cryptogram (bits C0 of the cryptogram information data, tag 9F27).
public enum Kernel8Cryptogram: UInt8, Hashable, Sendable, CaseIterable {
    /// The card declines.
    case aac = 0x00
    /// The card approves offline.
    case tc = 0x40
    /// The card asks for the issuer.
    case arqc = 0x80

    /// Reads the cryptogram information data.
    ///
    /// - Returns: nil for C0, which has no meaning.
    public init?(information: UInt8) { self.init(rawValue: information & 0xC0) }

    /// Whether the card may answer with it: a TC only where a TC was asked for, an ARQC where a TC or an ARQC was, and
    /// an AAC always. Anything else is an error of the card (L2 06).
    public func isAllowed(for asked: Kernel8Decision) -> Bool {
        switch self {
        case .aac: true
        case .arqc: asked != .decline
        case .tc: asked == .accept
        }
    }
}

/// The result of cardholder verification, which the card decides on (tag 9F8102, cardholder verification decision).
public struct Kernel8Verification: Hashable, Sendable {
    /// A method.
    public enum Method: UInt8, Hashable, Sendable, CaseIterable {
        case noCVM = 0x00
        case signature = 0x10
        case onlinePIN = 0x20
        /// The cardholder's device has verified its holder.
        case confirmationCodeVerified = 0x30
        case notApplicable = 0xF0
    }

    /// Byte 4 of the outcome parameter set.
    public let method: Method
    /// The CVM results (tag 9F34), 3 bytes.
    public let results: [UInt8]
    /// The bits that the TVR gets.
    public let verificationResults: Kernel8VerificationResults

    /// Takes the card's decision, if the terminal has the method; otherwise, the verification has failed. That is only
    /// a bit of the TVR: the action codes must hold it, or an offline approval follows.
    ///
    /// - Parameters:
    ///   - decision: tag 9F8102.
    ///   - capability: byte 1 of the terminal risk management data (tag 9F1D).
    public init(decision: UInt8, capability: UInt8) {
        switch decision {
        case 0x00 where capability & 0x08 != 0: self.init(.noCVM, [0x1F, 0x00, 0x02])
        case 0x01 where capability & 0x20 != 0: self.init(.signature, [0x1E, 0x00, 0x00])
        case 0x02 where capability & 0x40 != 0: self.init(.onlinePIN, [0x02, 0x00, 0x00], [.onlineCVMCaptured])
        case 0x03 where capability & 0x04 != 0: self.init(.confirmationCodeVerified, [0x01, 0x00, 0x02])
        case 0x0F: self.init(.notApplicable, [0x3F, 0x00, 0x00])
        default: self.init(.notApplicable, [0x3F, 0x00, 0x01], [.cardholderVerificationFailed])
        }
    }

    private init(_ method: Method, _ results: [UInt8], _ verificationResults: Kernel8VerificationResults = []) {
        (self.method, self.results, self.verificationResults) = (method, results, verificationResults)
    }
}
