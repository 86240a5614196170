public import ArgumentParser
import Determinism
import Payments
import Printing
import Receipts
import Yosemite

/// Selects one of a payment's receipts by its type.
struct ReceiptKindOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Receipt type: sale, refund, or void. Default: the latest.", valueName: "sale|refund|void"))
    private var of: ReceiptKind?
    @Option(
        help: ArgumentHelp(
            "Receipt of one refund: 1 for the payment's first, 2 for the second. Default: the latest.",
            valueName: "number"))
    private(set) var refund: Int?

    func validate() throws {
        guard let refund else { return }
        guard of == nil || of == .refund else { throw ValidationError("--refund can be used only with --of refund") }
        guard refund > 0 else { throw ValidationError("--refund must be at least 1") }
    }

    /// The type; nil for the latest receipt.
    var content: ReceiptContent.Kind? {
        refund == nil ? of.flatMap { ReceiptContent.Kind(rawValue: $0.rawValue) } : .refund
    }

    /// Loads the selected receipt of a payment.
    ///
    /// - Throws: `CommandFailure`
    func load(of payment: PaymentName, from till: Till) async throws(CommandFailure) -> StoredReceipt {
        try await till.receipt(of: payment.id, kind: content, refund: refund)
    }
}

/// Selects one of a payment's receipts.
struct ReceiptSelection: ParsableArguments {
    @Argument(help: "Payment ID, for example P000001.")
    private var payment: PaymentName
    @OptionGroup private var kind: ReceiptKindOptions

    /// Loads the selected receipt.
    ///
    /// - Throws: `CommandFailure`
    func load(from till: Till) async throws(CommandFailure) -> StoredReceipt {
        try await kind.load(of: payment, from: till)
    }
}

/// The days of receipts, in this machine's time zone.
struct ReceiptDayOptions: ParsableArguments {
    @Option(help: ArgumentHelp("First day of the receipts, for example 2026-01-02.", valueName: "day"))
    var since: Day?
    @Option(help: ArgumentHelp("Last day of the receipts.", valueName: "day"))
    var until: Day?

    func validate() throws {
        if let since, let until, until.date.dayNumber < since.date.dayNumber {
            throw ValidationError("--until must not be before --since")
        }
    }
}

/// The type of a receipt.
enum ReceiptKind: String, ExpressibleByArgument, CaseIterable, Sendable {
    case sale
    case refund
    case void
}

extension ReceiptCopy: ExpressibleByArgument {}
extension ReceiptRegion: ExpressibleByArgument {}
extension PaperCut: ExpressibleByArgument {}
extension PrinterFamily: ExpressibleByArgument {}

/// The copies of a receipt: one or both.
enum CopiesChoice: String, ExpressibleByArgument, CaseIterable, Sendable {
    case merchant
    case customer
    case both

    var copies: [ReceiptCopy] {
        switch self {
        case .merchant: [.merchant]
        case .customer: [.customer]
        case .both: [.merchant, .customer]
        }
    }
}

/// Options that override the configured receipt style.
struct ReceiptStyleOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Paper size. Default: the configured size.", valueName: "58mm|80mm|a4|letter"))
    var paper: PaperChoice?
    @Option(
        help: ArgumentHelp(
            "Language: \(ReceiptLocale.choices). Default: the language that the card chose, or the configured one.",
            valueName: "language"),
        completion: .list(ReceiptLocale.all.map(\.code)))
    var locale: String?

    /// Applies the options to the configured style.
    ///
    /// - Throws: `CommandFailure`
    func applied(to style: ReceiptStyle) throws(CommandFailure) -> ReceiptStyle {
        var style = style
        if let locale { (style.locale, style.isLocaleFixed) = (try ReceiptLocale.named(locale), true) }
        if let paper { style.paper = paper.size }
        return style
    }
}

/// The paper size of a receipt.
enum PaperChoice: String, ExpressibleByArgument, CaseIterable, Sendable {
    case roll58 = "58mm"
    case roll80 = "80mm"
    case a4
    case letter

    var size: PaperSize {
        switch self {
        case .roll58: .roll58
        case .roll80: .roll80
        case .a4: .a4
        case .letter: .letter
        }
    }
}

extension ReceiptLocale {
    /// Returns the language with this code.
    ///
    /// - Throws: `CommandFailure`
    static func named(_ code: String) throws(CommandFailure) -> ReceiptLocale {
        guard let locale = ReceiptLocale(code: code) else {
            throw CommandFailure(
                .usage, code: "unknown_locale", message: "unknown receipt language '\(code)'",
                fix: .choice(of: code, among: all.map(\.code), called: "languages"))
        }
        return locale
    }

    /// The values of `--locale`, for its help.
    static let choices = all.map { "\($0.code) \($0.name)" }.joined(separator: ", ")
}
