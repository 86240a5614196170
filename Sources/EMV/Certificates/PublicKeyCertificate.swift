/// A public key certificate as a card carries it: three data objects that belong together.
public struct PublicKeyCertificate: Hashable, Sendable {
    /// Tag 90, 9F46 or 9F2D; as long as the signer's modulus.
    public var certificate: [UInt8]
    /// Tag 92, 9F48 or 9F2F: the rest of a modulus that does not fit into the certificate; empty when
    /// the card has none.
    public var remainder: [UInt8]
    /// Tag 9F32, 9F47 or 9F2E: `[3]` or `[1, 0, 1]`.
    public var exponent: [UInt8]

    public init(certificate: [UInt8], remainder: [UInt8] = [], exponent: [UInt8]) {
        (self.certificate, self.remainder, self.exponent) = (certificate, remainder, exponent)
    }
}
