import CardSecrets

/// Masks card data for display: shows the first six and last four digits of a PAN, the initials of a name, and nothing
/// else of track data.
enum CardDataMask {
    /// Returns an account number with asterisks in the middle. A number of fewer than 15 digits shows only the last
    /// four, one of fewer than 8 none.
    static func number(_ digits: some BidirectionalCollection<UInt8>) -> String {
        let count = digits.count
        let last = count >= 8 ? 4 : 0
        let first = count >= 15 ? 6 : 0
        return text(digits.prefix(first)) + String(repeating: "*", count: count - first - last)
            + text(digits.suffix(last))
    }

    /// Returns a name with only the first letter of each word.
    static func name(_ characters: some Sequence<UInt8>) -> String {
        var text = ""
        var isInside = false
        for character in characters {
            let isLetter = (0x41...0x5A).contains(character) || (0x61...0x7A).contains(character)
            let isSeparator = character == 0x20 || character == 0x2F || character == 0x2E
            text += isSeparator || isLetter && !isInside ? String(UnicodeScalar(character)) : "*"
            isInside = !isSeparator
        }
        return text
    }

    /// Returns whether the bytes may contain a PAN: consecutive digits, as half bytes or characters, with a correct
    /// check digit and a length that matches the first digits.
    static func mayHoldAccountNumber(_ bytes: some Collection<UInt8>) -> Bool {
        guard bytes.count >= 7 else { return false }
        return mayHoldAccountNumber(values: bytes.flatMap { [$0 >> 4, $0 & 0x0F] })
            || mayHoldAccountNumber(inText: bytes)
    }

    /// The same check for text, where the half bytes of capital letters must not count as digits.
    static func mayHoldAccountNumber(inText bytes: some Collection<UInt8>) -> Bool {
        mayHoldAccountNumber(values: bytes.map { (0x30...0x39).contains($0) ? $0 & 0x0F : UInt8.max })
    }

    private static func mayHoldAccountNumber(values: [UInt8]) -> Bool {
        var start = 0
        while start < values.count {
            let run = values[start...].prefix { $0 <= 9 }
            for first in run.indices.dropLast(12) {
                for count in lengths(values[first], values[first + 1]) where first + count <= run.endIndex {
                    let digits = values[first..<(first + count)]
                    // The account number after the six issuer digits is never all zeros.
                    if CheckDigit.isValid(digits), digits.dropFirst(6).dropLast().contains(where: { $0 != 0 }) {
                        return true
                    }
                }
            }
            start = run.endIndex + 1
        }
        return false
    }

    /// Returns the possible PAN lengths for the first two digits (ISO/IEC 7812-1; the ranges of payment systems).
    private static func lengths(_ first: UInt8, _ second: UInt8) -> [Int] {
        switch (first, second) {
        case (1, _): [15]
        case (2, 2...7): [16]
        case (3, 4), (3, 7): [15]
        case (3, 0), (3, 6), (3, 8), (3, 9): [14, 15, 16, 17, 18, 19]
        case (3, 5): [16, 17, 18, 19]
        case (4, _): [13, 16, 19]
        case (5, 1...5): [16]
        case (5, _), (6, _): [13, 14, 15, 16, 17, 18, 19]
        case (8, _), (9, _): [16]
        default: []
        }
    }

    private static func text(_ digits: some Sequence<UInt8>) -> String {
        digits.map { String($0 % 10) }.joined()
    }
}
