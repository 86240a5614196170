public import Cryptography
internal import SettingsFile

/// How long the keys of a card and of those above it are, in bits, and the public exponent of them all.
public struct CardKeySizes: Hashable, Sendable {
    /// The certification authority's: 1024...1984, a multiple of 16.
    public var certificationAuthority: Int
    /// The issuer's; not longer than the authority's.
    public var issuer: Int
    /// The card's, for dynamic signatures; not longer than the issuer's.
    public var icc: Int
    /// The card's, for the encipherment of PINs; not longer than the issuer's.
    public var iccPIN: Int
    public var exponent: RSAPublicExponent

    /// 1408, 1152 and 1024 bits.
    public static let standard = CardKeySizes(
        certificationAuthority: 1408, issuer: 1152, icc: 1024, iccPIN: 1024, exponent: .three)

    /// Reads `keys` and `exponent` of a profile.
    init(_ node: SettingsNode?, exponent: SettingsNode?) throws(SettingsError) {
        self = .standard
        try node?.mapping(allowedKeys: ["ca", "issuer", "icc", "pin"])
        if let node = try node?.optional("ca") { certificationAuthority = try Self.bits(node, step: 16) }
        if let node = try node?.optional("issuer") { issuer = try Self.bits(node) }
        if let node = try node?.optional("icc") { icc = try Self.bits(node) }
        if let node = try node?.optional("pin") { iccPIN = try Self.bits(node) }
        if let exponent { self.exponent = try exponent.choice(of: ["3": .three, "65537": .fermatFour]) }
        guard let node else { return }
        guard issuer <= certificationAuthority else {
            throw node.error(
                "an issuer's key of \(issuer) bits is longer than the key of \(certificationAuthority) bits "
                    + "that signs it")
        }
        for length in [icc, iccPIN] where length > issuer {
            throw node.error("a card's key of \(length) bits is longer than the key of \(issuer) bits that signs it")
        }
    }

    private init(certificationAuthority: Int, issuer: Int, icc: Int, iccPIN: Int, exponent: RSAPublicExponent) {
        (self.certificationAuthority, self.issuer, self.icc) = (certificationAuthority, issuer, icc)
        (self.iccPIN, self.exponent) = (iccPIN, exponent)
    }

    private static func bits(_ node: SettingsNode, step: Int = 8) throws(SettingsError) -> Int {
        let bits = try node.int(in: 1024...1984)
        guard bits.isMultiple(of: step) else { throw node.error("a key of \(bits) bits is no multiple of \(step)") }
        return bits
    }

    /// The key of a holder.
    func key(_ holder: TestRSAKey.Holder) -> TestRSAKey {
        let bits =
            switch holder {
            case .certificationAuthority: certificationAuthority
            case .issuer: issuer
            case .icc: icc
            case .iccPIN: iccPIN
            }
        return TestRSAKey(holder, bits: bits, exponent: exponent)
    }

    /// The index (tags 8F and 9F22) of the authority's key: 15 and up for the exponent 3, 52 and up for 65537,
    /// one for each size. None of them is that of a key that a payment system has published for tests in the usual
    /// sizes, so both can be in one terminal.
    public var certificationAuthorityIndex: UInt8 {
        let step = UInt8(clamping: (certificationAuthority - 1024) / 16)
        return (exponent == .three ? 0x15 : 0x52) + min(step, 60)
    }
}
