extension CivilDate: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let date = CivilDate(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a date")
        }
        self = date
    }

    /// As `2026-01-02T03:04:05`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

extension CivilDate: CustomStringConvertible {
    /// As `2026-01-02T03:04:05`.
    public var description: String { "\(dayText)T\(Self.pad(hour)):\(Self.pad(minute)):\(Self.pad(second))" }

    /// As `2026-01-02`.
    public var dayText: String { "\(Self.pad(year, 4))-\(Self.pad(month))-\(Self.pad(day))" }

    private static func pad(_ number: Int, _ width: Int = 2) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}
