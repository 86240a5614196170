/// Issuer application data (tag 9F10): what the card tells its issuer beside the cryptogram, in the
/// layout of its scheme.
public struct IssuerApplicationData: Hashable, Sendable {
    public let version: CryptogramVersion
    /// Names the issuer's master key that the card's keys are derived from.
    public let derivationKeyIndex: UInt8
    /// The card verification results, encoded: see ``CardVerificationResults/encoded(_:)``.
    public let cardVerificationResults: [UInt8]
    /// The whole value of tag 9F10, 7...32 bytes.
    public let encoded: [UInt8]

    public init(version: CryptogramVersion, derivationKeyIndex: UInt8, results: CardVerificationResults) {
        (self.version, self.derivationKeyIndex) = (version, derivationKeyIndex)
        cardVerificationResults = results.encoded(version)
        encoded =
            switch version {
            case .cvn10: [0x06, derivationKeyIndex, 0x0A] + cardVerificationResults
            case .cvn18: [0x06, derivationKeyIndex, 0x12] + cardVerificationResults
            // Data authentication code, then counters that this card does not disclose.
            case .mChip: [derivationKeyIndex, 0x10] + cardVerificationResults + Self.zeros(10)
            case .mChipEMV2000: [derivationKeyIndex, 0x12] + cardVerificationResults + Self.zeros(10)
            case .mChipCommonSessionKey: [derivationKeyIndex, 0x14] + cardVerificationResults + Self.zeros(10)
            // Length, common core identifier, key index, CVR, counters; length and discretionary data.
            case .aes:
                [0x0F, 0xA6, derivationKeyIndex] + cardVerificationResults + Self.zeros(8) + [0x0F] + Self.zeros(15)
            }
    }

    /// Reads a value of tag 9F10.
    ///
    /// - Throws: ``CryptogramError/unknownIssuerApplicationData``
    public init(decoding bytes: [UInt8]) throws(CryptogramError) {
        guard let (version, keyIndex, results) = Self.layout(bytes) else { throw .unknownIssuerApplicationData }
        (self.version, derivationKeyIndex, cardVerificationResults) = (version, keyIndex, Array(results))
        encoded = bytes
    }

    private static func layout(_ bytes: [UInt8]) -> (CryptogramVersion, UInt8, ArraySlice<UInt8>)? {
        guard bytes.count >= 7 else { return nil }
        switch (bytes[0], bytes[1], bytes[2], bytes.count) {
        case (0x0F, 0xA6, let keyIndex, 32): return (.aes, keyIndex, bytes[3..<8])
        case (0x06, let keyIndex, 0x0A, 7...32): return (.cvn10, keyIndex, bytes[3..<7])
        case (0x06, let keyIndex, 0x12, 7...32): return (.cvn18, keyIndex, bytes[3..<7])
        case (let keyIndex, 0x10, _, 18): return (.mChip, keyIndex, bytes[2..<8])
        case (let keyIndex, 0x12, _, 18): return (.mChipEMV2000, keyIndex, bytes[2..<8])
        case (let keyIndex, 0x14, _, 18): return (.mChipCommonSessionKey, keyIndex, bytes[2..<8])
        default: return nil
        }
    }

    private static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }
}
