/// A moment in time: milliseconds since 1970-01-01T00:00:00Z, without leap seconds.
public struct Timestamp: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// Milliseconds since the epoch.
    public let milliseconds: Int64

    public init(milliseconds: Int64) { self.milliseconds = milliseconds }

    public static func < (first: Timestamp, second: Timestamp) -> Bool {
        first.milliseconds < second.milliseconds
    }

    /// This moment moved by `duration`, to the whole millisecond; at most to the ends of time.
    public func advanced(by duration: Duration) -> Timestamp {
        let (seconds, attoseconds) = duration.components
        let (product, overflowed) = seconds.multipliedReportingOverflow(by: 1000)
        let (moved, movedTooFar) = product.addingReportingOverflow(attoseconds / 1_000_000_000_000_000)
        let (sum, summedTooFar) = milliseconds.addingReportingOverflow(moved)
        guard !overflowed, !movedTooFar, !summedTooFar else {
            return Timestamp(milliseconds: duration < .zero ? .min : .max)
        }
        return Timestamp(milliseconds: sum)
    }

    /// The moment in UTC as RFC 3339 with milliseconds, for example `2026-01-02T03:04:05.678Z`.
    public var description: String {
        let date = civil(offsetSeconds: 0)
        let millisecond = ((milliseconds % 1000) + 1000) % 1000
        return "\(Self.pad(date.year, 4))-\(Self.pad(date.month, 2))-\(Self.pad(date.day, 2))T"
            + "\(Self.pad(date.hour, 2)):\(Self.pad(date.minute, 2)):\(Self.pad(date.second, 2))."
            + "\(Self.pad(Int(millisecond), 3))Z"
    }

    /// The calendar date and time of day at a distance of `offsetSeconds` east of UTC.
    public func civil(offsetSeconds: Int) -> CivilDate {
        let total = Self.floorDivide(milliseconds, 1000) + Int64(offsetSeconds)
        let days = Self.floorDivide(total, 86_400)
        let secondOfDay = Int(total - days * 86_400)
        // Days to civil date in the proleptic Gregorian calendar, counting from 0000-03-01.
        let shifted = days + 719_468
        let era = Self.floorDivide(shifted, 146_097)
        let dayOfEra = Int(shifted - era * 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return CivilDate(
            year: Int(era) * 400 + yearOfEra + (month <= 2 ? 1 : 0), month: month,
            day: dayOfYear - (153 * shiftedMonth + 2) / 5 + 1,
            hour: secondOfDay / 3600, minute: secondOfDay / 60 % 60, second: secondOfDay % 60)
    }

    private static func floorDivide(_ number: Int64, _ divisor: Int64) -> Int64 {
        number / divisor - (number % divisor < 0 ? 1 : 0)
    }

    private static func pad(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
