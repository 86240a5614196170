internal import Determinism

/// A moment as HTTP writes it (RFC 9110 §5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`.
struct HTTPDate {
    let moment: Timestamp

    init?(_ text: String) {
        let parts = text.split(separator: " ")
        guard parts.count == 6, parts[5] == "GMT",
            let month = Self.months.firstIndex(of: String(parts[2])), let day = Int(parts[1]), let year = Int(parts[3]),
            let moment = Timestamp("\(Self.pad(year, 4))-\(Self.pad(month + 1, 2))-\(Self.pad(day, 2))T\(parts[4])Z")
        else { return nil }
        self.moment = moment
    }

    /// What `Retry-After` says: seconds, or a moment (RFC 9110 §10.2.3).
    static func delay(_ text: String, now: Timestamp) -> Duration? {
        if let seconds = UInt32(text) { return .seconds(Int64(seconds)) }
        guard let moment = HTTPDate(text)?.moment else { return nil }
        return max(.zero, .milliseconds(moment.milliseconds - now.milliseconds))
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private static func pad(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}
