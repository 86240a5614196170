/// A key of a reader's PIN pad.
public enum SimulatedReaderKey: Hashable, Sendable {
    /// 0...9; other values are no key.
    case digit(UInt8)
    /// Takes back what was typed.
    case correction
    case confirmation
    case cancel
}

/// What a reader shows when it waits for a PIN.
public struct SimulatedPINRequest: Hashable, Sendable {
    public var slot: Int
    /// Fewest and most digits.
    public var digits: ClosedRange<Int>
    /// How long it waits.
    public var timeout: Duration
}
