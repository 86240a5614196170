extension BinaryInteger {
    /// The digits of the number, with zeros on the left up to `width` characters: `7.zeroPadded(to: 2)` is `"07"`.
    ///
    /// - Parameters:
    ///   - width: the fewest characters, a minus sign included.
    ///   - radix: the base of the digits, 2...36.
    /// - Returns: the digits.
    public func zeroPadded(to width: Int, radix: Int = 10) -> String {
        let digits = String(self, radix: radix)
        return String(repeating: "0", count: Swift.max(0, width - digits.utf8.count)) + digits
    }

    /// The number with a decimal point in front of its last `scale` digits: `5.decimalText(scale: 2)` is `"0.05"`.
    public func decimalText(scale: Int) -> String {
        guard scale > 0 else { return String(self) }
        let sign = self < 0 ? "-" : ""
        let digits = magnitude.zeroPadded(to: scale + 1)
        return "\(sign)\(digits.dropLast(scale)).\(digits.suffix(scale))"
    }
}

extension Collection<UInt8> {
    /// The first `count` bytes, with `filler` behind them where there are fewer: the value of a field with a fixed
    /// length.
    public func padded(to count: Int, with filler: UInt8) -> [UInt8] {
        let bytes = Array(prefix(count))
        return bytes + [UInt8](repeating: filler, count: count - bytes.count)
    }
}
