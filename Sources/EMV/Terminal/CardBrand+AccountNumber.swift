public import CardSecrets

extension CardBrand {
    /// Whose card it is by the issuer identification number with which its account number begins (ISO/IEC 7812; the
    /// ranges are those that the payment systems publish). Nil when the number is none that the table knows.
    public init?(_ pan: borrowing PrimaryAccountNumber) {
        let prefix = pan.withDigits { digits in digits.prefix(6).reduce(0) { $0 * 10 + Int($1) } }
        guard let brand = Self.ranges.first(where: { $0.prefixes.contains(prefix) })?.brand else { return nil }
        self = brand
    }

    /// By the first six digits.
    private static let ranges: [(prefixes: ClosedRange<Int>, brand: CardBrand)] = [
        (220_000...220_499, .mir),
        (222_100...272_099, .mastercard), (510_000...559_999, .mastercard),
        (340_000...349_999, .americanExpress), (370_000...379_999, .americanExpress),
        (352_800...358_999, .jcb),
        (300_000...305_999, .discover), (309_500...309_599, .discover), (360_000...369_999, .discover),
        (380_000...399_999, .discover), (601_100...601_199, .discover), (644_000...659_999, .discover),
        (620_000...629_999, .unionPay), (810_000...817_199, .unionPay),
        (400_000...499_999, .visa),
        // Maestro
        (500_000...509_999, .mastercard), (560_000...589_999, .mastercard), (639_000...639_099, .mastercard),
        (670_000...679_999, .mastercard),
    ]
}
