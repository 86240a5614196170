/// Conceals digits that may be a PAN in a text that a person typed or a file contains, such as the text of an error.
///
/// A number that was mistyped is as secret as the right one, so the check digit decides only where other numbers are
/// common. Concealed are:
///
/// * every run of at least 13 digits after its leading zeros;
/// * a run of 12 digits with a valid check digit;
/// * groups of digits with blanks, dashes, or underscores between them, when they have the layout of a card (4-4-4-4,
///   4-6-5, …), or 12 to 19 digits with a valid check digit.
///
/// Every digit is concealed, also the last four: they may be those of a card verification value behind the number.
public enum CardNumberMask {
    /// The digits of a PAN: 8 to 19 are allowed, and fewer than 12 are not in use.
    private static let lengths = 12...19
    /// Shorter runs are amounts, dates, and numbers of orders.
    private static let certainLength = 13
    /// Groups are at most this many characters apart.
    private static let widestGap = 3

    /// The digits of each group on a card.
    private static let layouts: [[Int]] = [
        [4, 4, 4, 4], [4, 6, 5], [4, 6, 4], [4, 4, 5], [4, 4, 4, 1], [4, 4, 4, 2], [4, 4, 4, 3], [4, 5, 6], [4, 8, 4],
        [4, 4, 4, 4, 1], [4, 4, 4, 4, 2], [4, 4, 4, 4, 3], [4, 4, 4, 5], [4, 4, 4, 6], [4, 4, 4, 7], [8, 8], [6, 13],
        [6, 10], [6, 9], [8, 5], [8, 11],
    ]

    /// A run of digits.
    private struct Run {
        /// Its place among the scalars of the text.
        var range: Range<Int>
        /// The values, 0...9.
        var digits: [UInt8]
    }

    /// Returns the text with `*` for each digit that may belong to a PAN. Every other character stays.
    public static func masked(_ text: String) -> String {
        // Most texts have too few digits, and need no more work.
        guard text.unicodeScalars.count(where: { digit($0) != nil }) >= lengths.lowerBound else { return text }
        var scalars = Array(text.unicodeScalars)
        for row in rows(of: scalars) {
            for run in row where isCardNumber(run) { conceal(run.range, in: &scalars) }
            for first in row.indices {
                var digits: [UInt8] = []
                for last in first..<row.count {
                    digits += row[last].digits
                    guard digits.count <= lengths.upperBound else { break }
                    guard last > first, lengths.contains(digits.count), digits.first != 0,
                        CheckDigit.isValid(digits) || layouts.contains(row[first...last].map(\.digits.count))
                    else { continue }
                    for run in row[first...last] { conceal(run.range, in: &scalars) }
                }
            }
        }
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars)
        return String(view)
    }

    /// Returns words with `*` for each digit that may belong to a PAN, also to one that is spread over several words.
    public static func masked(words: [String]) -> [String] {
        var masked = masked(words.joined(separator: " ")).unicodeScalars[...]
        return words.map { word in
            // Masking keeps the number of scalars.
            let own = masked.prefix(word.unicodeScalars.count)
            masked = masked.dropFirst(word.unicodeScalars.count + 1)
            return String(String.UnicodeScalarView(own))
        }
    }

    /// Returns the runs of digits; those in one row have only separators between them.
    private static func rows(of scalars: [Unicode.Scalar]) -> [[Run]] {
        var rows: [[Run]] = []
        var gap = widestGap + 1
        for (place, scalar) in scalars.enumerated() {
            guard let digit = digit(scalar) else {
                gap = isSeparator(scalar) ? min(gap, widestGap) + 1 : widestGap + 1
                continue
            }
            if gap > widestGap {
                rows.append([Run(range: place..<place + 1, digits: [digit])])
            } else if gap > 0 {
                rows[rows.count - 1].append(Run(range: place..<place + 1, digits: [digit]))
            } else {
                let (row, run) = (rows.count - 1, rows[rows.count - 1].count - 1)
                rows[row][run].range = rows[row][run].range.lowerBound..<place + 1
                rows[row][run].digits.append(digit)
            }
            gap = 0
        }
        return rows
    }

    private static func isCardNumber(_ run: Run) -> Bool {
        // No card number begins with 0: identifiers such as A0000000031010 stay legible.
        let digits = run.digits.drop { $0 == 0 }
        return digits.count >= certainLength || (digits.count == lengths.lowerBound && CheckDigit.isValid(digits))
    }

    /// The value of a digit in any script.
    private static func digit(_ scalar: Unicode.Scalar) -> UInt8? {
        guard !scalar.isASCII else { return (0x30...0x39).contains(scalar.value) ? UInt8(scalar.value & 0x0F) : nil }
        guard scalar.properties.numericType == .decimal, let value = scalar.properties.numericValue else { return nil }
        return UInt8(exactly: value)
    }

    private static func isSeparator(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "\t" || scalar == "_" || scalar.properties.generalCategory == .spaceSeparator
            || scalar.properties.generalCategory == .dashPunctuation
    }

    private static func conceal(_ range: Range<Int>, in scalars: inout [Unicode.Scalar]) {
        for place in range { scalars[place] = "*" }
    }
}

/// The check digit of a PAN (ISO/IEC 7812-1 annex B).
enum CheckDigit {
    /// Returns whether the last of these digits, one a byte with values 0...9, is the check digit of the others.
    static func isValid(_ digits: some BidirectionalCollection<UInt8>) -> Bool {
        var sum = 0
        for (position, digit) in digits.reversed().enumerated() {
            let weighted = position % 2 == 1 ? Int(digit) * 2 : Int(digit)
            sum += weighted > 9 ? weighted - 9 : weighted
        }
        return sum % 10 == 0
    }
}
