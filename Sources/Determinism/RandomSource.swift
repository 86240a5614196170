/// Where a program gets its random bytes from. Nothing else draws random numbers.
public protocol RandomSource: Sendable {
    /// Draws `count` bytes.
    func bytes(_ count: Int) -> [UInt8]

    /// A source of its own for one purpose, so that what one part of a program draws does not
    /// change what another one gets.
    func stream(_ label: String) -> any RandomSource
}

extension RandomSource {
    /// Draws a whole number, each of `range` equally likely.
    public func number(in range: ClosedRange<UInt32>) -> UInt32 {
        let span = UInt64(range.upperBound - range.lowerBound) + 1
        // Numbers above the last whole multiple of the span would make the low ones likelier.
        let limit = (UInt64(UInt32.max) + 1) / span * span
        while true {
            let drawn = bytes(4).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            if drawn < limit { return range.lowerBound + UInt32(drawn % span) }
        }
    }
}
