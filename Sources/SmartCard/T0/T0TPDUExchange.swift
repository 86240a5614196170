/// Exchanges one T=0 TPDU byte by byte: header, procedure bytes, data, status (ISO/IEC 7816-3 §10.3).
/// What a reader does at TPDU level and above, and a host does at character level.
public struct T0TPDUExchange: Sendable {
    public enum Step: Hashable, Sendable {
        /// Send these bytes to the card, then hand over its next byte.
        case transmit([UInt8])
        /// Hand over the card's next byte, or `count` of them.
        case receive(count: Int)
        /// Response data, SW1, SW2.
        case complete([UInt8])
    }

    public init(tpdu: [UInt8]) throws(T0Error) { fatalError() }
    public mutating func start() -> Step { fatalError() }
    public mutating func received(_ bytes: [UInt8]) throws(T0Error) -> Step { fatalError() }
}
