internal import Amounts
internal import Determinism
internal import SettingsFile

extension SettingsNode {
    /// Printable ASCII, as data elements of formats an and ans are.
    func printable(length: ClosedRange<Int>) throws(SettingsError) -> String {
        let text = try text(length: length)
        guard text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw error("only printable ASCII characters can stand here")
        }
        return text
    }

    /// One line of text that shows something, in any script.
    func line(length: ClosedRange<Int>) throws(SettingsError) -> String {
        let text = try text(length: length)
        guard !text.unicodeScalars.contains(where: \.breaksLine) else {
            throw error("control characters and line breaks cannot stand here")
        }
        guard text.contains(where: { !$0.isWhitespace }) else { throw error("there is nothing but blanks here") }
        return text
    }

    /// The name of a printer: what CUPS takes as the name of a queue.
    func printerName() throws(SettingsError) -> String {
        let name = try line(length: 1...127)
        guard !name.contains(where: { $0.isWhitespace || $0 == "/" || $0 == "#" }) else {
            throw error("not a print queue: no blank, '/' or '#' can be in its name", fix: "see 'lpstat -e'")
        }
        return name
    }

    /// USB vendor and product, four hexadecimal digits each.
    func usbID() throws(SettingsError) -> (vendor: UInt16, product: UInt16) {
        let parts = try text(length: 1...40).split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.utf8.count == 4 && $0.allSatisfy(\.isASCIIHexadecimal) }),
            let vendor = UInt16(parts[0], radix: 16), let product = UInt16(parts[1], radix: 16)
        else {
            throw error(
                "not a USB vendor and product",
                fix: "write four hexadecimal digits each, such as 04e6:e001; 'cardpresent readers info' shows them")
        }
        return (vendor, product)
    }

    /// An ISO 4217 alphabetic code.
    func currency() throws(SettingsError) -> Currency {
        guard let currency = Currency(setting: try text()) else {
            throw error("unknown currency", fix: Currency.settingFix)
        }
        return currency
    }

    /// A plain decimal amount.
    func money(_ currency: Currency) throws(SettingsError) -> Money {
        let text = try text(length: 1...20)
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw error("not an amount", fix: "write digits with at most one decimal point, such as 12.50")
        }
        do throws(MoneyError) {
            return try Money(text, currency: currency)
        } catch {
            throw self.error(error.description)
        }
    }

    /// An amount that fits in the four bytes of a floor limit (9F1B), in minor units.
    func shortMoney(_ currency: Currency) throws(SettingsError) -> UInt32 {
        guard let amount = UInt32(exactly: try money(currency).minorUnits) else {
            throw error("too large: four bytes hold at most \(UInt32.max) minor units")
        }
        return amount
    }

    /// A calendar date between 2000 and 2049.
    func date() throws(SettingsError) -> CivilDate {
        let parts = try text(length: 1...40).split(separator: "-", omittingEmptySubsequences: false)
        guard parts.map(\.utf8.count) == [4, 2, 2],
            parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
            let year = Int(parts[0]), let month = Int(parts[1]), let day = Int(parts[2]),
            (2000...2049).contains(year), (1...12).contains(month),
            (1...Self.days(in: month, of: year)).contains(day)
        else { throw error("not a date", fix: "write it as 2030-12-31, from 2000 to 2049") }
        return CivilDate(year: year, month: month, day: day)
    }

    private static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 4, 6, 9, 11: 30
        // Every fourth year between 2000 and 2049 is a leap year.
        case 2: year.isMultiple(of: 4) ? 29 : 28
        default: 31
        }
    }
}

extension Currency {
    /// What to write where no currency could be read.
    static let settingFix = "write an ISO 4217 code such as USD, EUR or JPY"

    /// Nil when no currency has this code.
    init?(setting code: String) {
        guard let currency = try? Currency(code: code) else { return nil }
        self = currency
    }
}

extension Unicode.Scalar {
    /// Control characters and everything that some program takes for the end of a line.
    var breaksLine: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}

extension Character {
    fileprivate var isASCIIHexadecimal: Bool { isASCII && isHexDigit }
}
