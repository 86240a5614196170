/// What kind of cryptogram the card made (EMV Book 3 §6.5.5, §10.8).
public enum CryptogramType: UInt8, Hashable, Sendable {
    /// Application authentication cryptogram: declined.
    case aac = 0x00
    /// Transaction certificate: approved.
    case tc = 0x40
    /// Authorisation request cryptogram: the issuer is to be asked.
    case arqc = 0x80

    /// Whether the card may answer with `answer` when this type was asked for: never higher than asked.
    func permits(_ answer: CryptogramType) -> Bool {
        switch self {
        case .tc: true
        case .arqc: answer != .tc
        case .aac: answer == .aac
        }
    }
}

/// The card's word on the cryptogram (tag 9F27, EMV Book 3 §6.5.5 table 14).
public struct CryptogramInformationData: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Why the card declined (b3...b1).
    public enum Reason: UInt8, Hashable, Sendable {
        case none = 0
        case serviceNotAllowed = 1
        case pinTryLimitExceeded = 2
        case issuerAuthenticationFailed = 3
    }

    /// nil for the value 11 in b8 and b7, which is reserved.
    public var type: CryptogramType? { CryptogramType(rawValue: rawValue & 0xC0) }

    /// The card wants the issuer told (b4).
    public var isAdviceRequired: Bool { rawValue & 0x08 != 0 }

    /// nil for a reserved value.
    public var reason: Reason? { Reason(rawValue: rawValue & 0x07) }
}
