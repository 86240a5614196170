internal import Determinism
internal import Money
internal import Settings

extension SettingsNode {
    /// Reads printable ASCII, as in data elements of the formats an and ans.
    func printable(length: ClosedRange<Int>) throws(SettingsError) -> String {
        let text = try text(length: length)
        guard text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw error("only printable ASCII characters are allowed here")
        }
        return text
    }

    /// Reads one line of text in any script, which must not be blank.
    func line(length: ClosedRange<Int>) throws(SettingsError) -> String {
        let text = try text(length: length)
        guard !text.unicodeScalars.contains(where: \.breaksLine) else {
            throw error("control characters and line breaks are not allowed here")
        }
        guard text.contains(where: { !$0.isWhitespace }) else { throw error("the text is blank") }
        return text
    }

    /// Reads the name of a printer: a valid CUPS queue name.
    func printerName() throws(SettingsError) -> String {
        let name = try line(length: 1...127)
        guard !name.contains(where: { $0.isWhitespace || $0 == "/" || $0 == "#" }) else {
            throw error("not a print queue: its name must not contain spaces, '/' or '#'", fix: "see 'lpstat -e'")
        }
        return name
    }

    /// Reads USB vendor and product, four hexadecimal digits each.
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

    /// Reads an ISO 4217 alphabetic code.
    func currency() throws(SettingsError) -> Currency {
        guard let currency = Currency(setting: try text()) else {
            throw error("unknown currency", fix: Currency.settingFix)
        }
        return currency
    }

    /// Reads a plain decimal amount.
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

    /// Reads an amount that fits in the four bytes of a floor limit (9F1B), in minor units.
    func shortMoney(_ currency: Currency) throws(SettingsError) -> UInt32 {
        guard let amount = UInt32(exactly: try money(currency).minorUnits) else {
            throw error("too large: four bytes hold at most \(UInt32.max) minor units")
        }
        return amount
    }

    /// Reads a calendar date between 2000 and 2049.
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
    /// The fix for an unknown currency.
    static let settingFix = "write an ISO 4217 code such as USD, EUR or JPY"

    /// Creates the currency with this code; nil for an unknown code.
    init?(setting code: String) {
        guard let currency = try? Currency(code: code) else { return nil }
        self = currency
    }
}

extension Unicode.Scalar {
    /// Whether it is a control character or a line break of any kind.
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

/// A section with a list of values and file names; each file contains a list of more values.
enum ListWithFiles {
    /// The maximum number of files in one section.
    private static let fileLimit = 20

    /// Returns the values in their order, with those of a file at the position of its name. A nil node means that the
    /// file has no such section.
    static func values(_ section: SettingsNode?) throws(SettingsError) -> [SettingsNode] {
        guard let section else { return [] }
        var (values, files) = ([SettingsNode](), 0)
        for node in try section.list() {
            guard node.kind == .text else {
                values.append(node)
                continue
            }
            files += 1
            guard files <= fileLimit else { throw node.error("more than \(fileLimit) files") }
            values += try contents(node)
        }
        return values
    }

    /// Resolves a relative path against the directory of the file that contains it.
    private static func contents(_ node: SettingsNode) throws(SettingsError) -> [SettingsNode] {
        let name = try node.line(length: 1...1024)
        do throws(SettingsError) {
            return try SettingsDocument.list(path: path(name, besides: node.location.file))
        } catch {
            // The error is in the file with the wrong name, not in the named file.
            guard case .unreadableFile = error.problem else { throw error }
            throw node.error(error.message, fix: "name a file in the directory of this one")
        }
    }

    private static func path(_ name: String, besides file: String) -> String {
        guard !name.hasPrefix("/"), let slash = file.lastIndex(of: "/") else { return name }
        return file[...slash] + name
    }
}
