/// The card's half of T=1.
public struct T1CardSide: Sendable {
    public enum Step: Hashable, Sendable {
        case send([UInt8])
        /// A whole command APDU: process it and call `respond`.
        case process([UInt8])
    }

    /// - Parameter informationFieldSize: the longest information field that this card takes (IFSC).
    public init(informationFieldSize: UInt8, errorDetection: T1Block.ErrorDetection) { fatalError() }
    public mutating func received(_ block: [UInt8]) -> Step { fatalError() }
    /// The first block of the answer; further ones follow from `received`.
    public mutating func respond(_ apdu: [UInt8]) -> [UInt8] { fatalError() }
    /// S(WTX request): asks for `multiplier` times the block waiting time before the answer. The
    /// interface device's S(WTX response) is then given to `received`, which returns nil-like `process` again.
    public mutating func requestWaitingTimeExtension(_ multiplier: UInt8) -> [UInt8] { fatalError() }
}
