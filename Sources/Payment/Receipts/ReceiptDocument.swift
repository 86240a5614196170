public import Payments

/// The content and style of a receipt, independent of language, width, and format. It is the input of all renderers.
///
/// Amounts are plain decimals with the currency's digits, such as `12.50`; a discount is negative.
public struct ReceiptDocument: Hashable, Sendable, Encodable {
    /// The kind of payment that the receipt is for.
    public typealias Kind = ReceiptContent.Kind

    public var merchant: Merchant
    /// Lines above everything else except the logo.
    public var header: [String]
    /// Lines at the end.
    public var footer: [String]
    public var logo: ReceiptLogo?
    public var kind: Kind
    public var outcome: ReceiptContent.Outcome
    /// The payment's name, for example `P000001`.
    public var payment: String
    /// The name of the store whose order was paid.
    public var store: String?
    public var orderID: Int64?
    /// The order number that the customer sees.
    public var orderNumber: String?
    /// Local date and time, `2026-01-02 12:00:00`.
    public var date: String
    /// The zone of the date, for example `UTC+01:00`.
    public var zone: String?
    /// ISO 4217 code.
    public var currency: String
    public var items: [ReceiptItem]
    /// The totals from the items to the amount, without the amount itself.
    public var totals: [ReceiptTotal]
    /// Why there are no items, machine-readable.
    public var breakdownNote: ReceiptContent.BreakdownNote?
    /// The requested amount.
    public var amount: String
    /// The amount that was paid or refunded: zero when it was not approved.
    public var approvedAmount: String
    /// Why the payment was declined or is unknown, as an English sentence for the merchant.
    public var reason: String?
    /// The same in a word that has a text in each language; nil on receipts of older versions.
    public var reasonCode: ReceiptReason?
    /// The data read from the card; nil when no card was read.
    public var card: CardDetails?
    /// The language that the card chose; nil for the configured one.
    public var language: ReceiptLanguage?
    /// The region of the till, which determines the applicable rules.
    public var region: ReceiptRegion
    public var copy: ReceiptCopy
    /// Whether this copy may have been printed before.
    public var isDuplicate: Bool
    /// The content of the code for scanners; nil for none.
    public var code: String?
    /// The form of ``code``.
    public var codeForm: ReceiptCode

    /// The JSON output contains neither the logo nor the language.
    private enum CodingKeys: CodingKey {
        case merchant, header, footer, kind, outcome, payment, store, orderID, orderNumber, date, zone, currency, items
        case totals, breakdownNote, amount, approvedAmount, reason, reasonCode, card, region, copy, isDuplicate, code,
            codeForm
    }

    /// Creates the document of a stored receipt.
    ///
    /// - Parameters:
    ///   - content: The stored content.
    ///   - copy: The merchant's or the customer's copy.
    ///   - isDuplicate: Whether this copy may have been printed before.
    public init(_ content: ReceiptContent, copy: ReceiptCopy, isDuplicate: Bool = false) {
        (merchant, header, footer, logo) = (content.merchant, [], [], nil)
        (kind, outcome, payment) = (content.kind, content.outcome, content.payment)
        (store, orderID, orderNumber) = (content.store, content.orderID, content.orderNumber)
        (date, zone, currency) = (content.date, content.zone, content.currency)
        (items, totals) = (content.breakdown?.items ?? [], content.breakdown?.totals ?? [])
        breakdownNote = content.breakdownNote
        (amount, approvedAmount) = (content.amount, content.approvedAmount)
        (reason, reasonCode) = (content.reason, content.reasonCode)
        (card, language, region) = (content.card, content.language, .other)
        (self.copy, self.isDuplicate, code, codeForm) = (copy, isDuplicate, content.payment, .qr)
    }

    /// Returns the document with the shop's style: logo, lines, code, and region.
    public func styled(by style: ReceiptStyle) -> ReceiptDocument {
        var document = self
        (document.logo, document.header, document.footer) = (style.logo, style.header, style.footer)
        (document.code, document.codeForm) = (style.code == .none ? nil : payment, style.code)
        document.region = style.region
        return document
    }
}

/// Sanitizes external text for paper.
public enum ReceiptText {
    /// Returns the text on one line, without control characters for printers and terminals, and without marks that
    /// change the direction of the following text.
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

    /// Sanitizes free text, such as a host's message or an item's title, which may contain a card number. If it does,
    /// only the last four digits of the number stay: other digits in the text may be an expiration date or a PIN.
    ///
    /// A card number has 13 to 19 digits with a valid check digit (ISO/IEC 7812-1), in any script, with or without
    /// groups. A longer run of digits is removed completely.
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

    // ISO/IEC 7812-1, limited to the lengths that card schemes use.
    private static let (shortest, longest) = (13, 19)

    /// Returns the value of a decimal digit in any script; nil for other characters.
    private static func digit(_ scalar: Unicode.Scalar) -> UInt8? {
        if scalar.isASCII { return ("0"..."9").contains(scalar) ? UInt8(scalar.value - 0x30) : nil }
        guard scalar.properties.numericType == .decimal else { return nil }
        return scalar.properties.numericValue.map { UInt8($0) }
    }

    /// Returns the positions of digits that can be read as one number.
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

    /// Whether a number continues after a character that is not a digit: directly, after one or two spaces or hyphens,
    /// or after another mark between two groups of at least four digits. Times, dates, and amounts have smaller groups.
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

    /// Spaces and hyphens of any script and width, and invisible characters.
    private static func isBlankOrHyphen(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .spaceSeparator, .dashPunctuation, .format, .nonspacingMark: true
        default: false
        }
    }

    /// Returns the positions of the longest number with a valid check digit, the first of several; empty for a run that
    /// is longer than a card number; nil when there is no number.
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
