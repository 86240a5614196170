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
        // A leap second is the last one of its minute here.
        return (hour, minute, min(second, 59))
    }

    /// Milliseconds, 0 without a fraction; nil for a point without digits.
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

    /// Seconds east of UTC; 0 for `Z` and for nothing.
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
