public import Cryptography
public import EMV

/// An algorithm suite of the secure channel: curve and block cipher (EMV Book E chapter 7).
///
/// P-521 (01) and the regional suite (88) are assigned and not built.
public enum SecureChannelSuite: UInt8, CaseIterable, Hashable, Sendable {
    /// Key agreement on P-256, AES with keys of 128 bits.
    case p256AES128 = 0x00

    /// The curve of the key agreement.
    public var curve: EllipticCurve { .p256 }
}

/// The card qualifier (tag 9F2C, 7 bytes, in the FCI): its version and the secure channels that the card offers.
///
/// Bytes 6 and 7, and the other bits of byte 5, have no known meaning and are ignored.
public struct CardQualifier: Hashable, Sendable {
    /// The length of the data object, in bytes.
    public static let length = 7

    /// Never 0.
    public let version: UInt8
    /// The offered suites in the order of the card, with those that are not built. FF stands for an empty place.
    public let offeredSuites: [UInt8]
    /// Whether the card notices that the field was off (byte 5, 80).
    public let noticesFieldOff: Bool

    /// - Returns: nil unless there are seven bytes, and the first is not 00.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.length, bytes[0] != 0 else { return nil }
        version = bytes[0]
        offeredSuites = bytes[1...3].filter { $0 != 0xFF }
        noticesFieldOff = bytes[4] & 0x80 != 0
    }

    /// The first offered suite that is built; nil when there is none, which ends the application.
    public var chosenSuite: SecureChannelSuite? {
        offeredSuites.lazy.compactMap { SecureChannelSuite(rawValue: $0) }.first
    }
}

/// The kernel qualifier (tag 9F2B, 8 bytes, in the PDOL): the version, the kernel's choice of a secure channel, and the
/// certificates that it verifies.
public struct KernelQualifier: Hashable, Sendable {
    /// Whether the kernel authenticates the card locally (byte 2, 80).
    public var authenticatesLocally: Bool
    /// The chosen secure channel.
    public var channel: SecureChannelSuite
    /// Up to three suites of certificates, in the order of preference.
    public var certificates: [CertificateSuite]

    /// Describes a kernel that verifies certificates of these suites. More than three are left out.
    public init(authenticatesLocally: Bool, channel: SecureChannelSuite, certificates: [CertificateSuite]) {
        (self.authenticatesLocally, self.channel) = (authenticatesLocally, channel)
        self.certificates = certificates
    }

    /// The value field. Its version is 02; empty places of the list are FF, and the last two bytes 00.
    public var bytes: [UInt8] {
        let list = certificates.prefix(3).map(\.rawValue)
        return [0x02, authenticatesLocally ? 0x80 : 0x00, channel.rawValue] + list
            + [UInt8](repeating: 0xFF, count: 3 - list.count) + [0x00, 0x00]
    }
}
