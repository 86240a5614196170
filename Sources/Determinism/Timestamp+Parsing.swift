extension Timestamp {
    /// The moment at which a clock `offsetSeconds` east of UTC shows a date and time.
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
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let moment = Timestamp(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a date and time")
        }
        self = moment
    }

    /// As ``description``.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
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
