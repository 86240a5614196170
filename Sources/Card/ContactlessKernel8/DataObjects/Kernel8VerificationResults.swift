public import EMV

/// Terminal verification results of kernel 8 (tag 95, Book C-8). Bit 80 of byte 5 tells this format from that of
/// contact cards (``EMV/TerminalVerificationResults``), which uses the bits otherwise.
public struct Kernel8VerificationResults: ByteFlags {
    public static let byteCount = 5
    public let rawValue: UInt64

    /// Takes the bytes of the data element as a number, the first byte highest. Reserved bits are kept.
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    public static let localAuthenticationNotPerformed = Self(rawValue: 0x80 << 32)
    public static let localAuthenticationFailed = Self(rawValue: 0x04 << 32)

    public static let versionsDiffer = Self(rawValue: 0x80 << 24)
    public static let expiredApplication = Self(rawValue: 0x40 << 24)
    public static let applicationNotYetEffective = Self(rawValue: 0x20 << 24)
    public static let serviceNotAllowed = Self(rawValue: 0x10 << 24)

    public static let cardholderVerificationFailed = Self(rawValue: 0x80 << 16)
    public static let onlineCVMCaptured = Self(rawValue: 0x04 << 16)

    public static let floorLimitExceeded = Self(rawValue: 0x80 << 8)

    /// The results have the format of kernel 8.
    public static let kernel8 = Self(rawValue: 0x80)
    public static let applicationIdentifiersDiffer = Self(rawValue: 0x40)
    public static let relayResistanceThresholdExceeded = Self(rawValue: 0x08)
    public static let relayResistanceTimeLimitsExceeded = Self(rawValue: 0x04)
    public static let relayResistancePerformed = Self(rawValue: 0x02)
    public static let relayResistanceNotPerformed = Self(rawValue: 0x01)

    /// Takes over the bits of cards with contacts that kernel 8 has too. Every way of offline data authentication is
    /// local authentication here, and byte 5 has nothing in common.
    public init(contact results: TerminalVerificationResults) {
        let pairs: [(TerminalVerificationResults, Self)] = [
            (.offlineDataAuthenticationNotPerformed, .localAuthenticationNotPerformed),
            (.sdaFailed, .localAuthenticationFailed), (.ddaFailed, .localAuthenticationFailed),
            (.cdaFailed, .localAuthenticationFailed), (.versionsDiffer, .versionsDiffer),
            (.expiredApplication, .expiredApplication), (.applicationNotYetEffective, .applicationNotYetEffective),
            (.serviceNotAllowed, .serviceNotAllowed),
            (.cardholderVerificationFailed, .cardholderVerificationFailed), (.onlinePINEntered, .onlineCVMCaptured),
            (.floorLimitExceeded, .floorLimitExceeded),
        ]
        self = pairs.reduce(into: []) { found, pair in if results.contains(pair.0) { found.insert(pair.1) } }
    }

    /// Returns the results with the bits of the card TVR (tag 9F8104), except for those that `mask` (tag 9F821A, kernel
    /// reserved TVR mask) keeps for the kernel. A mask of zeros lets the card clear everything, bit ``kernel8`` too.
    public func merging(card: Self, keeping mask: Self) -> Self {
        Self(rawValue: rawValue & mask.rawValue | card.rawValue & ~mask.rawValue)
    }
}
