/// The public exponents that EMV allows (Book 2 annex B2.1).
public enum RSAPublicExponent: UInt32, Hashable, Sendable, CaseIterable {
    case three = 3
    /// Fermat's number F4.
    case fermatFour = 65537

    /// Big-endian, without leading zeros.
    public var bytes: [UInt8] {
        switch self {
        case .three: [3]
        case .fermatFour: [1, 0, 1]
        }
    }
}
