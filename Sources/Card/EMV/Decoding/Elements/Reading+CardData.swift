import CardSecrets
import SmartCard

/// Card data. All masking for display is done here.
extension Reading {
    func mask(_ value: inout DecodedValue, _ meaning: String) {
        (value.hex, value.isMasked, value.meaning) = (nil, true, meaning)
    }

    func accountNumber(_ value: inout DecodedValue, _ range: Range<Int>) {
        let halves = halfBytes(range)
        let number = halves.prefix { $0 <= 9 }
        mask(&value, CardDataMask.number(number))
        guard halves[number.endIndex...].allSatisfy({ $0 == 0x0F }) else {
            return value.problems.append("not digits filled with F")
        }
        check(number, &value)
    }

    func trackTwo(_ value: inout DecodedValue, _ range: Range<Int>) {
        let halves = halfBytes(range)
        guard let separator = halves.firstIndex(of: 0x0D), halves[..<separator].allSatisfy({ $0 <= 9 }) else {
            value.withhold("track data")
            return value.problems.append("no account number followed by a separator D")
        }
        mask(&value, words(number: halves[..<separator], rest: halves[(separator + 1)...].prefix { $0 <= 9 }))
        check(halves[..<separator], &value)
    }

    /// Format B of ISO/IEC 7813: B, PAN, ^, name, ^, YYMM, service code, discretionary data.
    func trackOne(_ value: inout DecodedValue, _ range: Range<Int>) {
        let fields = bytes[range].split(separator: UInt8(ascii: "^"), omittingEmptySubsequences: false)
        let number = fields.first?.dropFirst().map { $0 &- 0x30 } ?? []
        guard fields.count == 3, bytes[range].first == UInt8(ascii: "B"), number.allSatisfy({ $0 <= 9 }),
            let rest = fields.last?.map({ $0 &- 0x30 })
        else {
            value.withhold("track data")
            return value.problems.append("no account number and name, each followed by a separator ^")
        }
        mask(&value, words(number: number[...], rest: rest[...].prefix { $0 <= 9 }))
        value.meaning?.append(", " + CardDataMask.name(fields[1]))
        check(number[...], &value)
    }

    private func words(number: ArraySlice<UInt8>, rest: ArraySlice<UInt8>) -> String {
        var words = "PAN " + CardDataMask.number(number)
        let text = rest.map { String($0) }.joined()
        if text.utf8.count >= 4 { words += ", expires 20" + text.prefix(2) + "-" + text.dropFirst(2).prefix(2) }
        if text.utf8.count >= 7 {
            let code = text.dropFirst(4).prefix(3)
            words += ", service code \(code) (\(ServiceCodeWords.words(code)))"
        }
        if text.utf8.count > 7 { words += ", \(text.utf8.count - 7) discretionary digits not shown" }
        return words
    }

    /// An IBAN, masked except for its country and last four characters.
    func bankAccount(_ value: inout DecodedValue, _ range: Range<Int>) {
        let text = bytes[range].filter { $0 != 0 && $0 != 0x20 }
        let isPlain = text.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) }
        guard text.count >= 15, isPlain else { return value.withhold("account data") }
        let stars = String(repeating: "*", count: text.count - 6)
        mask(
            &value,
            String(decoding: text.prefix(2), as: UTF8.self) + stars + String(decoding: text.suffix(4), as: UTF8.self))
    }

    private func check(_ number: ArraySlice<UInt8>, _ value: inout DecodedValue) {
        guard (8...19).contains(number.count) else {
            return value.problems.append("an account number of \(number.count) digits")
        }
        if !CheckDigit.isValid(number) { value.problems.append("the check digit is wrong") }
    }

    private func halfBytes(_ range: Range<Int>) -> [UInt8] { bytes[range].flatMap { [$0 >> 4, $0 & 0x0F] } }
}

/// The service code: three digits after the expiration date of a track (ISO/IEC 7813).
enum ServiceCodeWords {
    static func words(_ digits: some StringProtocol) -> String {
        let values = digits.utf8.map { $0 &- 0x30 }
        guard values.count == 3 else { return "" }
        let parts = [first[values[0]], second[values[1]], third[values[2]]]
        return parts.map { $0 ?? "reserved" }.joined(separator: "; ")
    }

    private static let first: [UInt8: String] = [
        1: "international", 2: "international, chip", 5: "national", 6: "national, chip", 7: "private", 9: "test",
    ]
    private static let second: [UInt8: String] = [
        0: "authorised normally", 2: "authorised online", 4: "authorised online unless agreed otherwise",
    ]
    private static let third: [UInt8: String] = [
        0: "PIN required", 1: "no restrictions", 2: "goods and services only", 3: "ATM only, PIN required",
        4: "cash only", 5: "goods and services only, PIN required", 6: "PIN where there is a PIN pad",
        7: "goods and services only, PIN where there is a PIN pad",
    ]
}
