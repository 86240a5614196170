import Text

/// A moment in time: milliseconds since 1970-01-01T00:00:00Z, without leap seconds.
public struct Timestamp: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// Milliseconds since the epoch.
    public let milliseconds: Int64

    /// Counts from 1970-01-01T00:00:00Z; negative before it.
    public init(milliseconds: Int64) { self.milliseconds = milliseconds }

    public static func < (first: Timestamp, second: Timestamp) -> Bool {
        first.milliseconds < second.milliseconds
    }

    /// Returns the moment after `duration`, in whole milliseconds, limited to the range of the type.
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
        let millisecond = ((milliseconds % 1000) + 1000) % 1000
        return "\(civil(offsetSeconds: 0)).\(millisecond.zeroPadded(to: 3))Z"
    }

    /// Returns the date and time at an offset of `offsetSeconds` east of UTC.
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
}

extension Timestamp {
    /// Makes the moment of a local date and time at an offset of `offsetSeconds` east of UTC.
    public init(_ date: CivilDate, offsetSeconds: Int = 0) {
        // Civil date to days in the proleptic Gregorian calendar, counting from 0000-03-01.
        let year = Int64(date.month <= 2 ? date.year - 1 : date.year)
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * Int64(date.month + (date.month > 2 ? -3 : 9)) + 2) / 5 + Int64(date.day) - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        let days = era * 146_097 + dayOfEra - 719_468
        let seconds = Int64(date.hour * 3600 + date.minute * 60 + date.second - offsetSeconds)
        self.init(milliseconds: (days * 86_400 + seconds) * 1000)
    }

    /// Reads `2026-01-02T03:04:05`, with a space for the `T`, with a fraction, and with `Z` or an offset such as
    /// `+05:30` (RFC 3339 §5.6). Without an offset it is UTC.
    public init?(_ text: some StringProtocol) {
        var reader = CivilDateReader(text)
        guard let date = reader.date(), reader.takeSeparator(), let time = reader.time(),
            let milliseconds = reader.fraction(), let offset = reader.offset(), reader.isAtEnd
        else { return nil }
        let civil = CivilDate(
            year: date.year, month: date.month, day: date.day, hour: time.hour, minute: time.minute,
            second: time.second)
        self.init(
            milliseconds: Timestamp(civil, offsetSeconds: offset).milliseconds + Int64(milliseconds))
    }
}

extension Timestamp: Codable {
    /// Reads ``description``.
    ///
    /// - Throws: `DecodingError` for another text.
    public init(from decoder: any Decoder) throws {
        self = try decoder.text("a date and time") { Timestamp($0) }
    }

    /// Encodes ``description``.
    public func encode(to encoder: any Encoder) throws { try encoder.text(description) }
}

extension CivilDate {
    /// Reads `2026-01-02`, or the same with a time: `2026-01-02 03:04:05`, `2026-01-02T03:04:05`.
    public init?(_ text: some StringProtocol) {
        var reader = CivilDateReader(text)
        guard let date = reader.date() else { return nil }
        if reader.isAtEnd {
            self = date
            return
        }
        guard reader.takeSeparator(), let time = reader.time(), reader.isAtEnd else { return nil }
        self.init(
            year: date.year, month: date.month, day: date.day, hour: time.hour, minute: time.minute,
            second: time.second)
    }
}

extension Decoder {
    /// Decodes a single text and converts it.
    func text<Value>(_ name: String, _ convert: (String) -> Value?) throws -> Value {
        let container = try singleValueContainer()
        guard let value = convert(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not \(name)")
        }
        return value
    }
}

extension Encoder {
    /// Encodes a single text.
    func text(_ text: String) throws {
        var container = singleValueContainer()
        try container.encode(text)
    }
}
