extension CivilDate {
    /// Midnight of the day so many days after 1970-01-01.
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

    /// The week of ISO 8601, which belongs to the year that its Thursday is in.
    public var week: (year: Int, number: Int) {
        let thursday = CivilDate(dayNumber: dayNumber + 4 - weekday)
        let firstOfJanuary = CivilDate(year: thursday.year, month: 1, day: 1)
        return (thursday.year, (thursday.dayNumber - firstOfJanuary.dayNumber) / 7 + 1)
    }

    /// Midnight of a day so many days later.
    public func advanced(days: Int) -> CivilDate { CivilDate(dayNumber: dayNumber + days) }

    public var startOfDay: CivilDate { CivilDate(year: year, month: month, day: day) }

    /// The last second of the day.
    public var endOfDay: CivilDate {
        CivilDate(year: year, month: month, day: day, hour: 23, minute: 59, second: 59)
    }

    /// How many days the month has.
    public var daysInMonth: Int { Self.days(in: month, of: year) }

    static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}
