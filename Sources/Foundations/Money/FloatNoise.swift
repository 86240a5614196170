extension ExactDecimal {
    /// Reads a number that another program may have calculated in binary floating point (IEEE 754 binary64), and
    /// removes the noise of the calculation: `722.1799999999998` is 722.18, `26.872500000000002` is 26.8725, and
    /// `-5.329070518201751e-15` is 0.
    ///
    /// A number with noise has 15 to 17 significant digits or 12 or more decimals, and differs from one with at most
    /// eight decimals by less than 10^-11, or by less than one part in 10^14. Other numbers are exactly as written:
    /// `12.345`, `0.3333333333333333`, and `800.100000000000000001`, which has more digits than a binary64.
    ///
    /// Nil when the text is malformed or has more than 38 digits.
    public init?(floating bytes: some Sequence<UInt8>) {
        if let exact = ExactDecimal(utf8: bytes) {
            self = exact.withoutNoise
        } else {
            // A number so small that its digits don't fit.
            guard let number = Double(String(decoding: Array(bytes), as: UTF8.self)), number.magnitude < 1e-11 else {
                return nil
            }
            self = .zero
        }
    }

    /// The number without the noise of binary floating point.
    private var withoutNoise: ExactDecimal {
        // Most numbers are short.
        guard scale >= 4, coefficient.magnitude >= 100_000_000_000_000 || scale >= 12,
            coefficient.magnitude < 100_000_000_000_000_000
        else { return self }
        let smallest = scale < 11 ? 0 : Self.power(scale - 11)
        let tolerance = max(coefficient.magnitude / 100_000_000_000_000, smallest.magnitude)
        for decimals in 0...min(8, scale - 3) {
            let unit = Self.power(scale - decimals)
            let rest = coefficient % unit
            let isRoundedUp = rest.magnitude > unit.magnitude / 2
            guard (isRoundedUp ? unit.magnitude - rest.magnitude : rest.magnitude) <= tolerance else { continue }
            let whole = coefficient / unit + (isRoundedUp ? (isNegative ? -1 : 1) : 0)
            return ExactDecimal(coefficient: whole, scale: decimals)
        }
        return self
    }

    /// Ten to the power of 0...38.
    private static func power(_ exponent: Int) -> Int128 { (0..<exponent).reduce(1) { power, _ in power * 10 } }
}
