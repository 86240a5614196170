extension ExactDecimal: Comparable {
    public static func < (first: ExactDecimal, second: ExactDecimal) -> Bool {
        if first.isNegative != second.isNegative { return first.isNegative }
        let (one, other) = (first.wholeAndFraction, second.wholeAndFraction)
        if one.whole != other.whole { return one.whole < other.whole }
        // Both have 38 digits, with the sign of the number.
        return one.fraction < other.fraction
    }

    /// The part before the point, and that behind it in units of its 38th digit.
    private var wholeAndFraction: (whole: Int128, fraction: Int128) {
        var unit: Int128 = 1
        for _ in 0..<scale { unit *= 10 }
        var fraction = coefficient % unit
        for _ in scale..<38 { fraction *= 10 }
        return (coefficient / unit, fraction)
    }
}
