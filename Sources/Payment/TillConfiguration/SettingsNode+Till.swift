import Determinism
import Money
import Settings
import USB

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

    /// Reads the path of a file. A relative one is resolved against the directory of the configuration.
    func path() throws(SettingsError) -> String {
        let name = try line(length: 1...1024)
        guard !name.hasPrefix("/"), let slash = location.file.lastIndex(of: "/") else { return name }
        return location.file[...slash] + name
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
    func usbID() throws(SettingsError) -> USBIdentifiers {
        guard let device = USBIdentifiers(try text(length: 1...40)) else {
            throw error(
                "not a USB vendor and product",
                fix: "write four hexadecimal digits each, such as 04e6:e001; 'cardpresent readers info' shows them")
        }
        return device
    }

    /// Reads an ISO 4217 alphabetic code.
    func currency() throws(SettingsError) -> Currency {
        guard let currency = Currency(setting: try text()) else {
            throw error("unknown currency", fix: Currency.settingFix)
        }
        return currency
    }

    /// Reads a mapping from currency codes, in its order.
    func currencies() throws(SettingsError) -> [(Currency, SettingsNode)] {
        var found: [(Currency, SettingsNode)] = []
        for entry in try entries() {
            func failure(_ message: String, _ fix: String) -> SettingsError {
                SettingsError(
                    location: entry.location, keyPath: entry.value.keyPath,
                    problem: .invalid(message: message, fix: fix))
            }
            guard let key = Currency(setting: entry.key) else { throw failure("unknown currency", Currency.settingFix) }
            guard !found.contains(where: { $0.0 == key }) else {
                throw failure("duplicate currency", "remove one of them")
            }
            found.append((key, entry.value))
        }
        return found
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

/// A section with a list of values and file names; each file contains a list of more values.
enum ListWithFiles {
    /// The maximum number of files in one section.
    private static let fileLimit = 20

    /// Returns the values in their order, with those of a file at the position of its name. A nil node means that the
    /// file has no such section.
    static func values(_ section: SettingsNode?) throws(SettingsError) -> [SettingsNode] {
        var values: [SettingsNode] = []
        for result in results(section) { values.append(try result.get()) }
        return values
    }

    /// Returns the values, and an error in the place of each file that cannot be read.
    static func results(_ section: SettingsNode?) -> [Result<SettingsNode, SettingsError>] {
        guard let section else { return [] }
        var (results, files) = ([Result<SettingsNode, SettingsError>](), 0)
        do throws(SettingsError) {
            for node in try section.list() {
                guard node.kind == .text else {
                    results.append(.success(node))
                    continue
                }
                files += 1
                guard files <= fileLimit else { throw node.error("more than \(fileLimit) files") }
                results += Self.results { () throws(SettingsError) in try contents(node) }
            }
        } catch {
            results.append(.failure(error))
        }
        return results
    }

    /// Returns the values that `read` finds, or its error.
    static func results(
        _ read: () throws(SettingsError) -> [SettingsNode]
    ) -> [Result<SettingsNode, SettingsError>] {
        do throws(SettingsError) { return try read().map { .success($0) } } catch { return [.failure(error)] }
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
