/// The number of a Brazilian business: fourteen characters, `12.345.678/0001-95`.
enum BusinessNumber {
    /// Whether a text has one with right check digits (Receita Federal, modulo 11). Letters count since 2026.
    static func isCNPJ(in text: String) -> Bool {
        let characters = Array(text.uppercased().utf8).filter { $0 != UInt8(ascii: ".") && $0 != UInt8(ascii: "-") }
        let runs = characters.split { !isMark($0) && $0 != UInt8(ascii: "/") }
        return runs.contains { run in
            let number = run.filter { $0 != UInt8(ascii: "/") }
            return number.count == 14 && hasCheckDigits(number)
        }
    }

    private static func isMark(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) }

    private static func hasCheckDigits(_ number: [UInt8]) -> Bool {
        for length in [12, 13] {
            var sum = 0
            for (place, byte) in number[..<length].reversed().enumerated() { sum += (Int(byte) - 48) * (place % 8 + 2) }
            let rest = sum % 11
            guard Int(number[length]) - 48 == (rest < 2 ? 0 : 11 - rest) else { return false }
        }
        return true
    }
}
