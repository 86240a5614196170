/// The interface device's half of T=1: one APDU out, one APDU in, with chaining, retransmission,
/// resynchronisation, waiting time extension and IFS negotiation (ISO/IEC 7816-3 §11; EMV Book 1 §9.2.5).
public struct T1InterfaceDevice: Sendable {
    public enum Step: Hashable, Sendable {
        /// Send this block and wait for the answer for `waitingTimeMultiplier` times the block waiting time.
        case send([UInt8], waitingTimeMultiplier: Int)
        /// The card's whole answer (for `negotiateInformationFieldSize`: empty).
        case complete([UInt8])
        case failed(T1Error)
    }

    public init(cardInformationFieldSize: UInt8, errorDetection: T1Block.ErrorDetection) { fatalError() }
    /// S(IFS request): announces how long an information field this side takes, 1...254.
    public mutating func negotiateInformationFieldSize(_ size: UInt8) -> Step { fatalError() }
    public mutating func transmit(_ apdu: [UInt8]) -> Step { fatalError() }
    /// Takes a block as it came, complete with prologue and epilogue, whatever its bytes.
    public mutating func received(_ block: [UInt8]) -> Step { fatalError() }
    /// The block waiting time went by without a block.
    public mutating func timedOut() -> Step { fatalError() }
}
