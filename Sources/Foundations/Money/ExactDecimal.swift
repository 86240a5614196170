import Text

/// A decimal number exactly as written: `33.30`, `-0.352941`, `17.647059`. Never a binary fraction.
///
/// Stores calculate with more digits than a currency has, and with negative amounts; ``Money`` is an amount to pay.
/// Numbers of the same value are equal regardless of trailing zeros; the text keeps the zeros.
public struct ExactDecimal: Sendable {
    /// The digits without the point.
    public let coefficient: Int128
    /// The number of digits after the point, 0...38.
    public let scale: Int

    /// Makes a number from its digits. `scale` is limited to 0...38.
    public init(coefficient: Int128, scale: Int = 0) {
        self.coefficient = coefficient
        self.scale = min(max(0, scale), Self.digitLimit)
    }

    /// Reads digits with an optional minus, point and exponent (RFC 8259 §6), for example `-12.50` or `1.5e-7`.
    ///
    /// Nil when the text is malformed or has more than 38 digits.
    public init?(_ text: some StringProtocol) {
        self.init(utf8: text.utf8)
    }

    /// Reads the bytes of a text in the same form.
    public init?(utf8 bytes: some Sequence<UInt8>) {
        var (coefficient, digits, fraction) = (Int128(0), 0, 0)
        var (exponent, exponentDigits) = (0, 0)
        var (isNegative, isExponentNegative) = (false, false)
        var part = Part.sign
        for byte in bytes {
            switch (byte, part) {
            case (UInt8(ascii: "-"), .sign):
                (isNegative, part) = (true, .whole)
            case (0x30...0x39, .sign), (0x30...0x39, .whole), (0x30...0x39, .fraction):
                if part == .sign { part = .whole }
                if part == .fraction { fraction += 1 }
                digits += 1
                // Leading zeros do not count.
                let (shifted, isShiftedTooFar) = coefficient.multipliedReportingOverflow(by: 10)
                let (sum, isTooLarge) = shifted.addingReportingOverflow(Int128(byte &- 0x30))
                guard !isShiftedTooFar, !isTooLarge, fraction <= Self.digitLimit else { return nil }
                coefficient = sum
            case (UInt8(ascii: "."), .sign), (UInt8(ascii: "."), .whole): part = .fraction
            case (UInt8(ascii: "e"), .whole), (UInt8(ascii: "e"), .fraction), (UInt8(ascii: "E"), .whole),
                (UInt8(ascii: "E"), .fraction):
                part = .exponentSign
            case (UInt8(ascii: "-"), .exponentSign):
                (isExponentNegative, part) = (true, .exponent)
            case (UInt8(ascii: "+"), .exponentSign): part = .exponent
            case (0x30...0x39, .exponentSign), (0x30...0x39, .exponent):
                part = .exponent
                exponentDigits += 1
                guard exponentDigits <= 3 else { return nil }
                exponent = exponent * 10 + Int(byte &- 0x30)
            default: return nil
            }
        }
        guard digits > 0, part != .exponentSign, part != .exponent || exponentDigits > 0 else { return nil }
        if part == .fraction, fraction == 0 { return nil }
        var scale = fraction - (isExponentNegative ? -exponent : exponent)
        while scale < 0 {
            let (shifted, isTooLarge) = coefficient.multipliedReportingOverflow(by: 10)
            guard !isTooLarge else { return nil }
            (coefficient, scale) = (shifted, coefficient == 0 ? 0 : scale + 1)
        }
        while scale > Self.digitLimit {
            guard coefficient % 10 == 0 else { return nil }
            (coefficient, scale) = (coefficient / 10, coefficient == 0 ? 0 : scale - 1)
        }
        self.coefficient = isNegative ? -coefficient : coefficient
        self.scale = scale
    }

    public static let zero = ExactDecimal(coefficient: 0)

    public var isNegative: Bool { coefficient < 0 }

    private static let digitLimit = 38

    private enum Part { case sign, whole, fraction, exponentSign, exponent }

    /// The same value without trailing zeros.
    private var shortest: (coefficient: Int128, scale: Int) {
        var (coefficient, scale) = (coefficient, scale)
        while scale > 0, coefficient % 10 == 0 { (coefficient, scale) = (coefficient / 10, scale - 1) }
        return (coefficient, scale)
    }
}

extension ExactDecimal: Hashable {
    public static func == (first: ExactDecimal, second: ExactDecimal) -> Bool { first.shortest == second.shortest }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(shortest.coefficient)
        hasher.combine(shortest.scale)
    }
}

extension ExactDecimal: CustomStringConvertible {
    /// The number as written, without an exponent: `33.30`.
    public var description: String {
        coefficient.decimalText(scale: scale)
    }
}

extension ExactDecimal: Codable {
    /// Decodes a text. Decoders of JSON pass numbers as written.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let number = ExactDecimal(text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a decimal number")
        }
        self = number
    }

    /// Encodes a text, so that no reader converts it to a binary fraction.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

extension Money {
    /// Makes an amount from a decimal number. Trailing zeros do not count.
    ///
    /// - Throws: ``MoneyError/negative(_:)``, ``MoneyError/tooManyDecimals(_:currency:allowed:)``,
    ///   ``MoneyError/tooLarge(_:)``
    public init(_ decimal: ExactDecimal, currency: Currency) throws(MoneyError) {
        guard !decimal.isNegative else { throw .negative(decimal.description) }
        var (coefficient, scale) = (decimal.coefficient, decimal.scale)
        while scale > currency.exponent {
            guard coefficient % 10 == 0 else {
                throw .tooManyDecimals(decimal.description, currency: currency.code, allowed: currency.exponent)
            }
            (coefficient, scale) = (coefficient / 10, scale - 1)
        }
        while scale < currency.exponent {
            guard coefficient <= Int128(Self.maximumMinorUnits) else { throw .tooLarge(decimal.description) }
            (coefficient, scale) = (coefficient * 10, scale + 1)
        }
        guard let minorUnits = Int64(exactly: coefficient) else { throw .tooLarge(decimal.description) }
        try self.init(minorUnits: minorUnits, currency: currency)
    }
}

extension ExactDecimal {
    /// Returns the sum of two numbers, with the digits of the one that has more; nil when it has more than 38 digits.
    public func adding(_ other: ExactDecimal) -> ExactDecimal? {
        let scale = max(scale, other.scale)
        guard let first = coefficient(at: scale), let second = other.coefficient(at: scale) else { return nil }
        let (sum, isTooLarge) = first.addingReportingOverflow(second)
        return isTooLarge ? nil : ExactDecimal(coefficient: sum, scale: scale)
    }

    /// The number with the other sign.
    public var negated: ExactDecimal { ExactDecimal(coefficient: 0 &- coefficient, scale: scale) }

    /// Returns the number rounded to a currency's digits, halves away from zero, as stores round.
    public func rounded(to currency: Currency) -> ExactDecimal {
        guard scale > currency.exponent else { return self }
        var (rest, isHalf) = (coefficient, false)
        for _ in 0..<scale - currency.exponent {
            isHalf = (rest % 10).magnitude >= 5
            rest /= 10
        }
        return ExactDecimal(coefficient: rest + (isHalf ? (isNegative ? -1 : 1) : 0), scale: currency.exponent)
    }

    /// The number with exactly the digits of a currency and its code, for people: `26.87 USD` for 26.8725.
    public func text(in currency: Currency) -> String {
        let rounded = rounded(to: currency)
        guard let coefficient = rounded.coefficient(at: currency.exponent) else { return "\(rounded) \(currency.code)" }
        return coefficient.decimalText(scale: currency.exponent) + " " + currency.code
    }

    /// The digits of the number with a scale that is not smaller than its own; nil when there are too many.
    private func coefficient(at wanted: Int) -> Int128? {
        var digits = coefficient
        for _ in scale..<max(scale, wanted) {
            let (shifted, isTooLarge) = digits.multipliedReportingOverflow(by: 10)
            guard !isTooLarge else { return nil }
            digits = shifted
        }
        return digits
    }
}

extension ExactDecimal: Comparable {
    public static func < (first: ExactDecimal, second: ExactDecimal) -> Bool {
        if first.isNegative != second.isNegative { return first.isNegative }
        let (one, other) = (first.wholeAndFraction, second.wholeAndFraction)
        if one.whole != other.whole { return one.whole < other.whole }
        // Both have 38 digits, with the sign of the number.
        return one.fraction < other.fraction
    }

    /// The part before the point, and the part after it in units of its 38th digit.
    private var wholeAndFraction: (whole: Int128, fraction: Int128) {
        var unit: Int128 = 1
        for _ in 0..<scale { unit *= 10 }
        var fraction = coefficient % unit
        for _ in scale..<38 { fraction *= 10 }
        return (coefficient / unit, fraction)
    }
}
