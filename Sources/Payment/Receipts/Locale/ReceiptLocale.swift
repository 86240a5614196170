import Money
public import Payments

/// A language with its labels and its formats of amounts and dates.
///
/// The tables are a small part of the Unicode CLDR, so that ICU is not needed. Digits are always ASCII, also in Arabic:
/// terminals, bank statements, and cards use them, and CLDR has them as the default for a large part of the Arab world.
public struct ReceiptLocale: Hashable, Sendable {
    /// The order of the parts of a date.
    enum DateOrder: Hashable, Sendable {
        /// `2 Jan 2026`: with digits only, day and month would be ambiguous.
        case dayMonthNameYear([String])
        /// With this separator.
        case dayMonthYear(String)
        /// With this separator.
        case yearMonthDay(String)
    }

    /// ISO 639-1
    public let code: String
    /// The language's own name.
    public let name: String
    public let isRightToLeft: Bool
    let labels: ReceiptLabels
    let decimalSeparator: String
    let groupingSeparator: String
    /// The number of digits required before the first grouping separator.
    let minimumGroupingDigits: Int
    let hasSymbolInFront: Bool
    /// The space between the amount and a symbol. A currency code always has a space.
    let symbolSpace: String
    /// Symbols that differ from ``CurrencySymbols``, by ISO 4217 code.
    let symbols: [String: String]
    let dateOrder: DateOrder

    /// All languages, English first.
    public static let all = ReceiptLanguage.allCases.map { ReceiptLocale($0) }

    /// Creates the locale of a language.
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

    /// Finds a language by its code, ignoring case and region (`de-AT`, `pt_BR.UTF-8`).
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

    /// Formats an amount, with the decimal places of the currency.
    ///
    /// - Parameters:
    ///   - amount: A plain decimal. Other text is returned unchanged.
    ///   - code: The currency code (ISO 4217). An unknown code leaves the digits unchanged.
    /// - Returns: For example `1.234,50 €`.
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

    /// Formats a date.
    ///
    /// - Parameters:
    ///   - date: Local date and time, `2026-01-02 12:00:00`. Other text is returned unchanged.
    ///   - zone: For example `UTC+01:00`.
    /// - Returns: For example `02.01.2026 12:00:00 UTC+01:00`.
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

/// The labels of a receipt in one language. The compiler enforces that no label is missing.
public struct ReceiptLabels: Hashable, Sendable {
    var date, payment, store, order, merchantID, terminalID: String
    var sale, refund, void, preauthorization: String
    var approved, declined, canceled, outcomeUnknown, doNotChargeAgain, beingChecked, nothingCharged: String
    var subtotal, discount, fees, shipping, taxes, includedTaxes, giftCards, tip: String
    var total, refunded, voided, authorized, amount, approvedAmount: String
    var application, cardBrand, applicationID, card, accountType, defaultAccount, savings, checking, credit: String
    var entryMode, chip, contactless, swiped, fallback: String
    var authorizationCode, response, reference: String
    var verifiedByPIN, verifiedOnDevice, notAsked, verificationFailed, signatureRequired, signature: String
    var merchantCopy, customerCopy, duplicate, keepThisReceipt: String
    var reasons: ReceiptReasonLabels

    func word(for account: AccountType) -> String {
        switch account {
        case .savings: savings
        case .checking: checking
        case .credit: credit
        }
    }
}

/// Why a payment was not made, in one language. The compiler enforces that no reason is missing.
struct ReceiptReasonLabels: Hashable, Sendable {
    var notApproved, tryLater, callIssuer, invalidAccount, currencyNotSupported, duplicatePayment: String
    var insufficientFunds, amountNotAccepted, limitExceeded, tooManyWrongPINs, partialApproval: String
    var cardNotSupported, cardExpired, cardBlocked, cardNotAuthenticated, pinRequired, wrongPIN: String
    var declinedByCard, declinedByTerminal: String
    var canceled, canceledByCardholder, interrupted, issuerUnreachable, noAnswer: String
    var cardRemoved, cardNotRead, readerFailed: String

    /// Returns the text of a reason; nil for a reason that has none.
    func text(_ reason: ReceiptReason) -> String? {
        switch reason {
        case .notApproved: notApproved
        case .tryLater: tryLater
        case .callIssuer: callIssuer
        case .invalidAccount: invalidAccount
        case .currencyNotSupported: currencyNotSupported
        case .duplicatePayment: duplicatePayment
        case .insufficientFunds: insufficientFunds
        case .amountNotAccepted: amountNotAccepted
        case .limitExceeded: limitExceeded
        case .tooManyWrongPINs: tooManyWrongPINs
        case .partialApproval: partialApproval
        case .cardNotSupported: cardNotSupported
        case .cardExpired: cardExpired
        case .cardBlocked: cardBlocked
        case .cardNotAuthenticated: cardNotAuthenticated
        case .pinRequired: pinRequired
        case .wrongPIN: wrongPIN
        case .declinedByCard: declinedByCard
        case .declinedByTerminal: declinedByTerminal
        case .canceled: canceled
        case .canceledByCardholder: canceledByCardholder
        case .interrupted: interrupted
        case .issuerUnreachable: issuerUnreachable
        case .noAnswer: noAnswer
        case .cardRemoved: cardRemoved
        case .cardNotRead: cardNotRead
        case .readerFailed: readerFailed
        case .other: nil
        }
    }
}

/// The symbols that identify one currency in all locales (Unicode CLDR, standard symbols). Other currencies use their
/// code.
enum CurrencySymbols {
    static func symbol(of code: String) -> String? { table[code] }

    private static let table = [
        "AUD": "A$", "BRL": "R$", "CAD": "CA$", "EUR": "€", "GBP": "£", "HKD": "HK$", "ILS": "₪", "INR": "₹",
        "JPY": "¥", "KRW": "₩", "MXN": "MX$", "NZD": "NZ$", "PHP": "₱", "TWD": "NT$", "USD": "US$", "VND": "₫",
    ]
}
