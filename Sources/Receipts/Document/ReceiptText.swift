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

    /// The same of free text, such as a host's words or an item's title, which may carry a card's number. Of a text that
    /// has one, its last four digits are all digits that stay: an expiry date or a PIN may stand beside it.
    ///
    /// A card's number is 13 to 19 digits with a right check digit (ISO/IEC 7812-1), in any script, together or in
    /// groups. Of a longer run of digits none stays.
    public static func concealed(_ outside: String) -> String {
        let text = printable(outside)
        guard text.utf8.count >= shortest else { return text }
        var scalars = Array(text.unicodeScalars)
        let digits = scalars.map(digit)
        guard digits.count(where: { $0 != nil }) >= shortest else { return text }
        var (kept, hasNumber) = (Set<Int>(), false)
        for run in runs(of: digits, in: scalars) {
            guard let number = cardNumber(in: run, digits) else { continue }
            hasNumber = true
            kept.formUnion(number.suffix(4))
        }
        guard hasNumber else { return text }
        for (place, digit) in digits.enumerated() where digit != nil && !kept.contains(place) { scalars[place] = "*" }
        return String(String.UnicodeScalarView(scalars))
    }

    // ISO/IEC 7812-1: what the card schemes give out.
    private static let (shortest, longest) = (13, 19)

    /// The value of a decimal digit of any script; nil of another character.
    private static func digit(_ scalar: Unicode.Scalar) -> UInt8? {
        if scalar.isASCII { return ("0"..."9").contains(scalar) ? UInt8(scalar.value - 0x30) : nil }
        guard scalar.properties.numericType == .decimal else { return nil }
        return scalar.properties.numericValue.map { UInt8($0) }
    }

    /// The places of digits that may be read as one number.
    private static func runs(of digits: [UInt8?], in scalars: [Unicode.Scalar]) -> [[Int]] {
        var (runs, run, place) = ([[Int]](), [Int](), 0)
        while place < digits.count {
            guard digits[place] != nil else {
                place += 1
                continue
            }
            if let last = run.last, !isGap(scalars[(last + 1)..<place], between: run, and: digits[place...]) {
                runs.append(run)
                run = []
            }
            run.append(place)
            place += 1
        }
        return runs + [run]
    }

    /// Whether digits go on behind what is not one: at once, behind a blank or a hyphen or two of them, or behind another
    /// mark between two groups of four digits and more. Times, dates and amounts have smaller groups.
    private static func isGap(
        _ gap: ArraySlice<Unicode.Scalar>, between run: [Int], and digits: ArraySlice<UInt8?>
    ) -> Bool {
        if gap.isEmpty { return true }
        guard gap.count <= 2 else { return false }
        if gap.allSatisfy(isBlankOrHyphen) { return true }
        guard gap.count == 1, gap.allSatisfy({ !$0.properties.isAlphabetic }) else { return false }
        let isGroup = run.count >= 4 && run.suffix(4).elementsEqual((gap.startIndex - 4)..<gap.startIndex)
        return isGroup && digits.prefix(4).count(where: { $0 != nil }) == 4
    }

    /// Of any script and width, and what is not seen.
    private static func isBlankOrHyphen(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .spaceSeparator, .dashPunctuation, .format, .nonspacingMark: true
        default: false
        }
    }

    /// The places of the longest number with a right check digit, and the first of these; none of a run that is longer
    /// than a number; nil when there is no number.
    private static func cardNumber(in run: [Int], _ digits: [UInt8?]) -> ArraySlice<Int>? {
        guard run.count >= shortest else { return nil }
        guard run.count <= longest else { return [] }
        for length in stride(from: run.count, through: shortest, by: -1) {
            for start in 0...(run.count - length) {
                let number = run[start..<(start + length)]
                if hasCheckDigit(number.map { digits[$0] ?? 0 }) { return number }
            }
        }
        return nil
    }

    private static func hasCheckDigit(_ digits: [UInt8]) -> Bool {
        var sum = 0
        for (offset, digit) in digits.reversed().enumerated() {
            let value = Int(digit)
            sum += offset.isMultiple(of: 2) ? value : (value * 2) / 10 + (value * 2) % 10
        }
        return sum.isMultiple(of: 10)
    }
}
