internal import Determinism

/// A date on a card: YYMMDD, format n (tags 5F24, 5F25, 9A).
struct CardDate: Hashable, Comparable, Sendable {
    let year: Int
    let month: Int
    let day: Int

    /// Years 00...49 are 2000...2049, years 50...99 are 1950...1999 (EMV Book 4 §6.7.3).
    ///
    /// - Returns: nil when the bytes are no date of the calendar.
    init?(bytes: [UInt8]) {
        guard bytes.count == 3, let number = BinaryCodedDecimal.decode(bytes) else { return nil }
        let (short, month, day) = (Int(number / 10_000), Int(number / 100 % 100), Int(number % 100))
        let year = short < 50 ? 2000 + short : 1900 + short
        guard (1...12).contains(month), (1...Self.days(in: month, of: year)).contains(day) else { return nil }
        (self.year, self.month, self.day) = (year, month, day)
    }

    init(_ date: CivilDate) { (year, month, day) = (date.year, date.month, date.day) }

    static func < (first: CardDate, second: CardDate) -> Bool {
        (first.year, first.month, first.day) < (second.year, second.month, second.day)
    }

    private static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 4, 6, 9, 11: 30
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        default: 31
        }
    }
}
