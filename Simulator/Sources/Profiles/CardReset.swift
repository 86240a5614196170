/// What a card says when it is reset.
public enum CardReset: Hashable, Sendable {
    /// A proper answer to reset for this protocol, with 0...15 historical bytes.
    case proper(CardProtocol, historicalBytes: [UInt8])
    /// These bytes, right or wrong: after a cold reset, and after a warm one.
    case raw(cold: [UInt8], warm: [UInt8])
    /// Nothing at all.
    case mute

    /// The answer to reset; empty when the card is mute.
    public func answer(warm: Bool) -> [UInt8] {
        switch self {
        case .mute: []
        case .raw(let cold, let warmAnswer): warm ? warmAnswer : cold
        case .proper(.t0, let historical):
            // TB1 (no programming voltage) and TC1 (no extra guard time), as EMV Book 1 §8.3 has them.
            [0x3B, 0x60 | UInt8(historical.count & 0x0F), 0x00, 0x00] + historical
        case .proper(.t1, let historical):
            Self.withCheckByte(
                // TD1 says T=1 and TD2 T=1 again, which brings TA3 (IFSC 254) and TB3 (BWI 4, CWI 5).
                [0x3B, 0xE0 | UInt8(historical.count & 0x0F), 0x00, 0x00, 0x81, 0x31, 0xFE, 0x45] + historical)
        }
    }

    private static func withCheckByte(_ bytes: [UInt8]) -> [UInt8] {
        bytes + [bytes.dropFirst().reduce(0, ^)]
    }
}

/// The transmission protocol that a card offers (ISO/IEC 7816-3).
public enum CardProtocol: String, Hashable, Sendable, CaseIterable {
    case t0 = "T=0"
    case t1 = "T=1"
}
