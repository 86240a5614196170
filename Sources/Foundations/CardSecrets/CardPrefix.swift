/// The first eight digits of a primary account number, which name its issuer (the BIN, ISO/IEC 7812-1).
///
/// It is in memory only, to choose the host of a payment: neither its description nor its mirror has a digit, and it
/// has no other form.
public struct CardPrefix: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The number of digits.
    public static let digitCount = 8

    private let value: UInt32

    public init(_ pan: borrowing PrimaryAccountNumber) {
        // A primary account number has eight digits or more.
        value = pan.withDigits { digits in
            digits.prefix(Self.digitCount).reduce(UInt32(0)) { $0 * 10 + UInt32($1) }
        }
    }

    /// Whether the digits, as a number, are in a range of 0...99,999,999.
    public func isIn(_ range: ClosedRange<UInt32>) -> Bool { range.contains(value) }

    public var description: String { "CardPrefix(masked)" }

    public var customMirror: Mirror { Mirror(self, children: []) }
}
