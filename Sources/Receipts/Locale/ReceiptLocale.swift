internal import Amounts
public import Hardware

/// A language with its words and its ways to write amounts and dates.
///
/// The tables are a small part of the Unicode CLDR (locale data), kept here so that no ICU has to be loaded. Digits are
/// those of ASCII everywhere, in Arabic too: a receipt is compared with a terminal, a bank's statement and a card, which
/// all have these, and CLDR takes them for Arabic in much of the Arab world.
public struct ReceiptLocale: Hashable, Sendable {
    /// The order of a date's parts.
    enum DateOrder: Hashable, Sendable {
        /// `2 Jan 2026`: digits alone would be read in two ways.
        case dayMonthNameYear([String])
        /// With the separator.
        case dayMonthYear(String)
        /// With the separator.
        case yearMonthDay(String)
    }

    /// ISO 639-1
    public let code: String
    /// The language in its own words.
    public let name: String
    public let isRightToLeft: Bool
    let labels: ReceiptLabels
    let decimalSeparator: String
    let groupingSeparator: String
    /// How many digits must stand before the first separator of groups.
    let minimumGroupingDigits: Int
    let hasSymbolInFront: Bool
    /// What stands between the amount and a symbol. A code of letters always has a blank.
    let symbolSpace: String
    /// Symbols that differ from those of ``CurrencySymbols``, by ISO 4217 code.
    let symbols: [String: String]
    let dateOrder: DateOrder

    /// Every language, English first.
    public static let all = ReceiptLanguage.allCases.map { ReceiptLocale($0) }

    /// What a language is on a receipt.
    public init(_ language: ReceiptLanguage) {
        self =
            switch language {
            case .english: .english
            case .spanish: .spanish
            case .french: .french
            case .german: .german
            case .italian: .italian
            case .portuguese: .portuguese
            case .japanese: .japanese
            case .arabic: .arabic
            }
    }

    /// Finds a language by its code, in any letter case; a region behind it (`de-AT`, `pt_BR.UTF-8`) does not matter.
    public init?(code: String) {
        let language = code.lowercased().prefix { $0 != "-" && $0 != "_" && $0 != "." }
        guard let locale = Self.all.first(where: { $0.code == language }) else { return nil }
        self = locale
    }

    init(
        code: String, name: String, isRightToLeft: Bool = false, decimal: String, grouping: String,
        minimumGroupingDigits: Int = 1, hasSymbolInFront: Bool, symbolSpace: String, symbols: [String: String] = [:],
        date: DateOrder, labels: ReceiptLabels
    ) {
        (self.code, self.name, self.isRightToLeft, self.labels) = (code, name, isRightToLeft, labels)
        (decimalSeparator, groupingSeparator) = (decimal, grouping)
        self.minimumGroupingDigits = minimumGroupingDigits
        (self.hasSymbolInFront, self.symbolSpace, self.symbols) = (hasSymbolInFront, symbolSpace, symbols)
        dateOrder = date
    }

    /// An amount as people write it, with as many digits after the separator as the currency has.
    ///
    /// - Parameters:
    ///   - amount: a plain decimal. Another text stays as it is.
    ///   - code: of the currency, ISO 4217. One that the standard does not have leaves the digits as they are.
    /// - Returns: for example `1.234,50 €`.
    public func format(amount: String, currency code: String) -> String {
        let isNegative = amount.hasPrefix("-")
        let parts = (isNegative ? amount.dropFirst() : amount[...]).split(
            separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let whole = parts.first, !whole.isEmpty,
            parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } })
        else { return "\(amount) \(code)" }
        var fraction = parts.count > 1 ? String(parts[1]) : ""
        if let currency = try? Currency(code: code) {
            fraction += String(repeating: "0", count: max(0, currency.exponent - fraction.utf8.count))
        }
        let number = grouped(whole) + (fraction.isEmpty ? "" : decimalSeparator + fraction)
        let sign = isNegative ? "-" : ""
        let symbol = symbols[code] ?? CurrencySymbols.symbol(of: code)
        let space = symbol == nil ? "\u{A0}" : symbolSpace
        return hasSymbolInFront
            ? sign + (symbol ?? code) + space + number : sign + number + space + (symbol ?? code)
    }

    private func grouped(_ whole: Substring) -> String {
        let digits = Array(whole.utf8)
        guard digits.count >= 3 + minimumGroupingDigits else { return String(whole) }
        var text = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index).isMultiple(of: 3) { text += groupingSeparator }
            text.unicodeScalars.append(Unicode.Scalar(digit))
        }
        return text
    }

    /// A date as people write it.
    ///
    /// - Parameters:
    ///   - date: local date and time, `2026-01-02 12:00:00`. Another text stays as it is.
    ///   - zone: for example `UTC+01:00`.
    /// - Returns: for example `02.01.2026 12:00:00 UTC+01:00`.
    public func format(date: String, zone: String?) -> String {
        let halves = date.split(separator: " ", maxSplits: 1)
        let parts = (halves.first ?? "").split(separator: "-", omittingEmptySubsequences: false)
        guard halves.count == 2, parts.count == 3, let month = Int(parts[1]), (1...12).contains(month),
            let day = Int(parts[2]), (1...31).contains(day)
        else { return date + (zone.map { " " + $0 } ?? "") }
        let text =
            switch dateOrder {
            case .dayMonthNameYear(let names):
                "\(day) \(names.indices.contains(month - 1) ? names[month - 1] : String(parts[1])) \(parts[0])"
            case .dayMonthYear(let separator): [parts[2], parts[1], parts[0]].joined(separator: separator)
            case .yearMonthDay(let separator): parts.joined(separator: separator)
            }
        return "\(text) \(halves[1])" + (zone.map { " " + $0 } ?? "")
    }
}
