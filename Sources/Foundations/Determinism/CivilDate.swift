import Text

/// A calendar date and a time of day, without a time zone.
public struct CivilDate: Hashable, Sendable {
    public let year: Int
    /// 1...12
    public let month: Int
    /// 1...31
    public let day: Int
    /// 0...23
    public let hour: Int
    /// 0...59
    public let minute: Int
    /// 0...59
    public let second: Int

    /// Takes the parts as they are. A date that no calendar has is not refused.
    public init(year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0) {
        (self.year, self.month, self.day) = (year, month, day)
        (self.hour, self.minute, self.second) = (hour, minute, second)
    }
}

extension CivilDate {
    /// Makes midnight of a day, counted from 1970-01-01.
    public init(dayNumber: Int) {
        let midnight = Timestamp(
            milliseconds: Int64(dayNumber).multipliedReportingOverflow(by: 86_400_000).partialValue)
        self = midnight.civil(offsetSeconds: 0)
    }

    /// Days since 1970-01-01.
    public var dayNumber: Int {
        let midnight = Timestamp(CivilDate(year: year, month: month, day: day)).milliseconds
        return Int(midnight / 86_400_000)
    }

    /// 1 for Monday to 7 for Sunday (ISO 8601).
    public var weekday: Int { ((dayNumber + 3) % 7 + 7) % 7 + 1 }

    /// The ISO 8601 week. It belongs to the year of its Thursday.
    public var week: (year: Int, number: Int) {
        let thursday = CivilDate(dayNumber: dayNumber + 4 - weekday)
        let firstOfJanuary = CivilDate(year: thursday.year, month: 1, day: 1)
        return (thursday.year, (thursday.dayNumber - firstOfJanuary.dayNumber) / 7 + 1)
    }

    /// Returns midnight of a later day.
    public func advanced(days: Int) -> CivilDate { CivilDate(dayNumber: dayNumber + days) }

    public var startOfDay: CivilDate { CivilDate(year: year, month: month, day: day) }

    /// The last second of the day.
    public var endOfDay: CivilDate {
        CivilDate(year: year, month: month, day: day, hour: 23, minute: 59, second: 59)
    }

    /// The number of days in the month.
    public var daysInMonth: Int { Self.days(in: month, of: year) }

    static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}

extension CivilDate: Codable {
    /// Reads ``description``.
    ///
    /// - Throws: `DecodingError` for another text.
    public init(from decoder: any Decoder) throws {
        self = try decoder.text("a date") { CivilDate($0) }
    }

    /// Encodes ``description``.
    public func encode(to encoder: any Encoder) throws { try encoder.text(description) }
}

extension CivilDate: CustomStringConvertible {
    /// The date and time as `2026-01-02T03:04:05`.
    public var description: String { "\(dayText)T\(timeText)" }

    /// The time as `03:04:05`.
    public var timeText: String {
        "\(hour.zeroPadded(to: 2)):\(minute.zeroPadded(to: 2)):\(second.zeroPadded(to: 2))"
    }

    /// The date as `2026-01-02`.
    public var dayText: String { "\(year.zeroPadded(to: 4))-\(month.zeroPadded(to: 2))-\(day.zeroPadded(to: 2))" }
}

/// Reads the parts of a date and time from ASCII digits (RFC 3339 §5.6).
struct CivilDateReader {
    private var rest: ArraySlice<UInt8>

    init(_ text: some StringProtocol) { rest = Array(text.utf8)[...] }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func date() -> CivilDate? {
        guard let year = number(digits: 4), take("-"), let month = number(digits: 2), take("-"),
            let day = number(digits: 2), (1...12).contains(month), day >= 1, day <= CivilDate.days(in: month, of: year)
        else { return nil }
        return CivilDate(year: year, month: month, day: day)
    }

    mutating func takeSeparator() -> Bool { take("T") || take("t") || take(" ") }

    mutating func time() -> (hour: Int, minute: Int, second: Int)? {
        guard let hour = number(digits: 2), take(":"), let minute = number(digits: 2), take(":"),
            let second = number(digits: 2), hour <= 23, minute <= 59, second <= 60
        else { return nil }
        // A leap second becomes the last second of its minute.
        return (hour, minute, min(second, 59))
    }

    /// Returns the milliseconds, 0 without a fraction; nil for a point without digits.
    mutating func fraction() -> Int? {
        guard take(".") else { return 0 }
        var (milliseconds, weight, count) = (0, 100, 0)
        while let byte = rest.first, (0x30...0x39).contains(byte) {
            milliseconds += Int(byte - 0x30) * weight
            weight /= 10
            count += 1
            rest.removeFirst()
        }
        return count > 0 ? milliseconds : nil
    }

    /// Returns the offset in seconds east of UTC; 0 for `Z` and for no offset.
    mutating func offset() -> Int? {
        if isAtEnd || take("Z") || take("z") { return 0 }
        let isWest = take("-")
        guard isWest || take("+"), let hours = number(digits: 2) else { return nil }
        let hasColon = take(":")
        guard let minutes = isAtEnd && !hasColon ? 0 : number(digits: 2), hours <= 23, minutes <= 59 else { return nil }
        return (hours * 3600 + minutes * 60) * (isWest ? -1 : 1)
    }

    private mutating func number(digits: Int) -> Int? {
        var value = 0
        for _ in 0..<digits {
            guard let byte = rest.first, (0x30...0x39).contains(byte) else { return nil }
            value = value * 10 + Int(byte - 0x30)
            rest.removeFirst()
        }
        return value
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest.removeFirst()
        return true
    }
}
