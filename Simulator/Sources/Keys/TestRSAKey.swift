public import Cryptography

/// Names one of the RSA keys of the simulated payment world: who holds it, how long it is, its exponent.
public struct TestRSAKey: Hashable, Sendable, CustomStringConvertible {
    public enum Holder: String, Hashable, Sendable, CaseIterable {
        /// Signs issuers' keys, for every payment system.
        case certificationAuthority = "ca"
        /// Signs its cards' keys and static data.
        case issuer
        /// The card's, for dynamic signatures.
        case icc
        /// The card's, for the encipherment of PINs.
        case iccPIN = "icc-pin"
    }

    public var holder: Holder
    /// Of the modulus: 1024...1984, a multiple of 8.
    public var bits: Int
    public var exponent: RSAPublicExponent

    public init(_ holder: Holder, bits: Int, exponent: RSAPublicExponent = .three) {
        (self.holder, self.bits, self.exponent) = (holder, bits, exponent)
    }

    /// For example `ca-1408-3`; the name in key files, too.
    public var description: String { "\(holder.rawValue)-\(bits)-\(exponent.rawValue)" }
}
