/// In what units a reader talks with a card: the exchange level bits of dwFeatures (CCID 1.1 §5.1).
public enum CCIDExchangeLevel: UInt32, Hashable, Sendable, CustomStringConvertible {
    /// Single characters: the host runs the whole transmission protocol.
    case character = 0
    /// One T=0 TPDU or one T=1 block at a time.
    case tpdu = 0x1_0000
    /// Whole APDUs with short lengths, up to 261 bytes of command.
    case shortAPDU = 0x2_0000
    /// Whole APDUs with short or extended lengths, in several messages when they are long.
    case extendedAPDU = 0x4_0000

    /// The level that dwFeatures names. A reader that claims several is taken at the highest.
    public init(features: UInt32) {
        let levels: [CCIDExchangeLevel] = [.extendedAPDU, .shortAPDU, .tpdu]
        self = levels.first { features & $0.rawValue != 0 } ?? .character
    }

    /// Whether the host runs T=0 and T=1.
    public var leavesProtocolToHost: Bool { self == .character || self == .tpdu }

    public var description: String {
        switch self {
        case .character: "character"
        case .tpdu: "TPDU"
        case .shortAPDU: "short APDU"
        case .extendedAPDU: "extended APDU"
        }
    }
}
