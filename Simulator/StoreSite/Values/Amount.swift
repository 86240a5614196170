import Money

/// An amount in the store's currency, as a whole number of hundredths because a store uses one number of decimals. It
/// can be negative.
struct Amount: Hashable, Comparable, Sendable {
    let hundredths: Int64

    init(hundredths: Int64) { self.hundredths = hundredths }

    /// Rounds to the nearest hundredth, halves away from zero. Fails for anything but a number up to a billion.
    init?(_ text: String) {
        guard let decimal = ExactDecimal(text) else { return nil }
        var (coefficient, scale) = (decimal.coefficient, decimal.scale)
        while scale < 2 {
            guard coefficient.magnitude < 1_000_000_000_000 else { return nil }
            (coefficient, scale) = (coefficient * 10, scale + 1)
        }
        while scale > 3 { (coefficient, scale) = (coefficient / 10, scale - 1) }
        if scale == 3 { coefficient = (coefficient + (coefficient < 0 ? -5 : 5)) / 10 }
        guard coefficient.magnitude <= 100_000_000_000 else { return nil }
        self.init(hundredths: Int64(coefficient))
    }

    static let zero = Amount(hundredths: 0)

    static func < (first: Amount, second: Amount) -> Bool { first.hundredths < second.hundredths }

    // Sums saturate at the largest number instead of trapping.
    static func + (first: Amount, second: Amount) -> Amount {
        Amount(clamping: Int128(first.hundredths) + Int128(second.hundredths))
    }
    static func - (first: Amount, second: Amount) -> Amount {
        Amount(clamping: Int128(first.hundredths) - Int128(second.hundredths))
    }
    static func += (first: inout Amount, second: Amount) { first = first + second }
    static func -= (first: inout Amount, second: Amount) { first = first - second }
    static prefix func - (amount: Amount) -> Amount { .zero - amount }

    private init(clamping hundredths: Int128) { self.hundredths = Int64(clamping: hundredths) }

    func times(_ quantity: Int64) -> Amount { Amount(clamping: Int128(hundredths) * Int128(quantity)) }

    /// Returns `numerator`/`denominator` of the amount, rounded to the nearest hundredth.
    func part(_ numerator: Int64, of denominator: Int64) -> Amount {
        guard denominator > 0 else { return .zero }
        let product = Int128(hundredths) * Int128(numerator)
        let half = Int128(denominator) / 2
        return Amount(clamping: (product + (product < 0 ? -half : half)) / Int128(denominator))
    }

    /// The amount with two decimals: `12.50`.
    var text: String {
        let magnitude = hundredths.magnitude
        let fraction = magnitude % 100
        return "\(hundredths < 0 ? "-" : "")\(magnitude / 100).\(fraction < 10 ? "0" : "")\(fraction)"
    }

    /// The amount as a JSON number without trailing zeros: `12.5`.
    var number: String {
        let fraction = hundredths.magnitude % 100
        let whole = "\(hundredths < 0 ? "-" : "")\(hundredths.magnitude / 100)"
        if fraction == 0 { return whole }
        return fraction % 10 == 0 ? "\(whole).\(fraction / 10)" : "\(whole).\(fraction < 10 ? "0" : "")\(fraction)"
    }

    /// Returns the price of one of `quantity` as a JSON number, calculated in binary floating point like WooCommerce:
    /// `0.3333333333333333`.
    func numberEach(_ quantity: Int64) -> String {
        quantity > 0 ? Self.number(float / Double(quantity)) : number
    }

    /// The amount in binary floating point, as PHP calculates.
    var float: Double { Double(hundredths) / 100 }

    /// Returns a calculated number as PHP writes it in JSON: the shortest digits that give the same number.
    static func number(_ float: Double) -> String {
        let text = float.description
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}

extension Sequence<Amount> {
    func sum() -> Amount { reduce(.zero, +) }
}
