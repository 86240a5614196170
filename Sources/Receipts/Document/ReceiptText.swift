/// Text from outside, made fit for paper.
public enum ReceiptText {
    /// The text on one line, without what a printer or a terminal would obey, and without marks that turn the reading
    /// direction of what follows.
    static func printable(_ text: String) -> String {
        if text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { return text }
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x09, 0x0A, 0x0D, 0x85, 0x2028, 0x2029: scalars.append(" ")
            case 0x00...0x1F, 0x7F...0x9F, 0x200E, 0x200F, 0x061C, 0x202A...0x202E, 0x2066...0x2069, 0xFEFF: break
            default: scalars.append(scalar)
            }
        }
        return String(scalars)
    }

    /// The same of free text, such as a host's words or an item's title, which may carry a card's number. Every run of
    /// 13 to 19 digits with a right check digit (ISO/IEC 7812-1) keeps four, a longer one none, and what follows as
    /// on a track loses all of them.
    public static func concealed(_ outside: String) -> String {
        let text = printable(outside)
        guard text.utf8.count(where: isDigit) >= 13 else { return text }
        var bytes = Array(text.utf8)
        var index = 0
        while index < bytes.count {
            guard isDigit(bytes[index]) else {
                index += 1
                continue
            }
            var (places, end) = ([Int](), index)
            while end < bytes.count, isDigit(bytes[end]) || isGap(at: end, in: bytes) {
                if isDigit(bytes[end]) { places.append(end) }
                end += 1
            }
            index = end
            guard let hidden = hiddenPlaces(in: places, of: bytes) else { continue }
            for place in hidden { bytes[place] = UInt8(ascii: "*") }
            // The separators of track 2 and track 1 (ISO/IEC 7813), behind which the expiry date stands.
            guard end < bytes.count, [UInt8(ascii: "="), UInt8(ascii: "^"), UInt8(ascii: "D")].contains(bytes[end])
            else { continue }
            while index < bytes.count, bytes[index] != UInt8(ascii: " ") {
                if isDigit(bytes[index]) { bytes[index] = UInt8(ascii: "*") }
                index += 1
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// What is not shown of a run of digits; nil when no card's number is in it. What stands behind a number may be its
    /// expiry date, so that of the longest number, and the first of these, four digits are all that stays.
    private static func hiddenPlaces(in places: [Int], of bytes: [UInt8]) -> [Int]? {
        guard places.count >= 13 else { return nil }
        guard places.count <= 19 else { return places }
        for length in stride(from: places.count, through: 13, by: -1) {
            for start in 0...(places.count - length) where hasCheckDigit(places[start..<(start + length)], of: bytes) {
                let end = start + length
                return Array(places[start..<(end - 4)] + places[end...])
            }
        }
        return nil
    }

    private static func hasCheckDigit(_ places: ArraySlice<Int>, of bytes: [UInt8]) -> Bool {
        var sum = 0
        for (offset, place) in places.reversed().enumerated() {
            let digit = Int(bytes[place] & 0x0F)
            sum += offset.isMultiple(of: 2) ? digit : (digit * 2) / 10 + (digit * 2) % 10
        }
        return sum.isMultiple(of: 10)
    }

    /// A single blank or hyphen between digits, as card numbers are written.
    private static func isGap(at index: Int, in bytes: [UInt8]) -> Bool {
        (bytes[index] == UInt8(ascii: " ") || bytes[index] == UInt8(ascii: "-"))
            && index + 1 < bytes.count && isDigit(bytes[index + 1])
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
