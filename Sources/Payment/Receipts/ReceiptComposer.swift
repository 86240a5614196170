import EMV
import Payments

/// Composes a receipt in a language: determines its fields, their order, and their wording.
///
/// The fields are those that the card schemes require (see `docs/receipts.md`). A receipt never contains an expiration
/// date, and at most the last four digits of a card number.
public struct ReceiptComposer: Sendable {
    public let locale: ReceiptLocale

    /// Words receipts in the language of `locale`.
    public init(locale: ReceiptLocale) { self.locale = locale }

    /// Returns the blocks of a receipt, from top to bottom.
    public func compose(_ source: ReceiptDocument) -> [ReceiptBlock] {
        let document = source.printable
        var blocks = heading(document)
        blocks += outcome(document)
        blocks += items(document)
        blocks += amounts(document)
        if let card = document.card { blocks += self.card(card, document) }
        blocks += verification(document)
        blocks += ending(document)
        return blocks
    }

    /// Returns the title of a receipt: the merchant's and the payment's name.
    public func title(_ source: ReceiptDocument) -> String {
        let document = source.printable
        return "\(document.merchant.name) \(document.payment)"
    }

    /// In both languages of Canada, independent of the receipt's language.
    private static let transactionRecord = "TRANSACTION RECORD / RELEVÉ DE TRANSACTION"

    private var labels: ReceiptLabels { locale.labels }

    /// Isolates a value that is left-to-right in every script: digits, hexadecimal digits, and technical names.
    private func value(_ text: String) -> String {
        // LEFT-TO-RIGHT ISOLATE and POP DIRECTIONAL ISOLATE (Unicode Standard Annex 9).
        locale.isRightToLeft ? "\u{2066}\(text)\u{2069}" : text
    }

    /// Isolates external text, so that its direction does not affect the surrounding text.
    private func outside(_ text: String) -> String {
        guard locale.isRightToLeft || text.unicodeScalars.contains(where: Self.runsFromTheRight) else { return text }
        // FIRST STRONG ISOLATE and POP DIRECTIONAL ISOLATE (Unicode Standard Annex 9).
        return "\u{2068}\(text)\u{2069}"
    }

    private static func runsFromTheRight(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x590...0x8FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFC, 0x10800...0x10FFF, 0x1E800...0x1EFFF: true
        default: false
        }
    }

    private func amount(_ decimal: String, _ document: ReceiptDocument) -> String {
        value(locale.format(amount: decimal, currency: document.currency))
    }

    private func heading(_ document: ReceiptDocument) -> [ReceiptBlock] {
        let merchant = document.merchant
        var name: [ReceiptBlock] = document.logo.map { [.logo($0)] } ?? []
        name += document.header.map { .text(outside($0)) }
        name.append(.title(outside(merchant.name)))
        name += merchant.lines.map { .text(outside($0)) }
        if ReceiptRules.wants(.transactionRecord, on: document) { name.append(.text(Self.transactionRecord)) }
        var blocks: [ReceiptBlock] = [.space]
        blocks.append(.row(labels.date, value(locale.format(date: document.date, zone: document.zone))))
        blocks.append(.row(labels.payment, value(document.payment)))
        if let store = document.store { blocks.append(.row(labels.store, outside(store))) }
        if let order = document.orderNumber ?? document.orderID.map(String.init) {
            blocks.append(.row(labels.order, value("#\(order)")))
        }
        blocks.append(.row(labels.merchantID, value(document.merchant.merchantID)))
        blocks.append(.row(labels.terminalID, value(document.merchant.terminalID)))
        return [.beside(name, blocks), .rule]
    }

    private func outcome(_ document: ReceiptDocument) -> [ReceiptBlock] {
        let kind =
            switch document.kind {
            case .sale: labels.sale
            case .refund: labels.refund
            case .void: labels.void
            case .preauthorization: labels.preauthorization
            }
        let outcome =
            switch document.outcome {
            case .approved: labels.approved
            case .declined: labels.declined
            case .canceled: labels.canceled
            case .unknown: labels.outcomeUnknown
            }
        var blocks: [ReceiptBlock] = [.title(kind), .text(outcome, isStrong: true)]
        if document.outcome != .approved, let reason = reason(document) { blocks.append(.text(reason)) }
        if document.kind == .void, document.outcome == .approved { blocks.append(.text(labels.nothingCharged)) }
        if document.outcome == .unknown {
            blocks += [.text(labels.doNotChargeAgain, isStrong: true), .text(labels.beingChecked)]
        }
        return blocks + [.space]
    }

    /// Returns the reason in the receipt's language. A reason without a text in it may have details of the host, the
    /// reader, or the program: it is for the merchant only.
    private func reason(_ document: ReceiptDocument) -> String? {
        if let text = document.reasonCode.flatMap(labels.reasons.text) { return text }
        return document.copy == .merchant ? document.reason.map(outside) : nil
    }

    private func items(_ document: ReceiptDocument) -> [ReceiptBlock] {
        var blocks: [ReceiptBlock] = []
        for item in document.items {
            let quantity = item.quantity
            let name = quantity == "1" ? outside(item.title) : "\(quantity) × \(outside(item.title))"
            blocks.append(.row(name, amount(item.amount, document)))
            blocks += item.attributes.map { .text("  \(outside($0.name)): \(outside($0.value))", .leading) }
        }
        return blocks.isEmpty ? [] : blocks + [.rule]
    }

    private func amounts(_ document: ReceiptDocument) -> [ReceiptBlock] {
        var blocks: [ReceiptBlock] = document.totals.map { total in
            let label =
                switch total.kind {
                case .subtotal: labels.subtotal
                case .discount: labels.discount
                case .fees: labels.fees
                case .shipping: labels.shipping
                case .taxes: labels.taxes
                case .includedTaxes: labels.includedTaxes
                case .giftCards: labels.giftCards
                case .tip: labels.tip
                }
            return .row(
                total.detail.map { "\(label) (\(outside($0)))" } ?? label, amount(total.amount, document))
        }
        switch document.outcome {
        case .approved:
            // A part was approved.
            if document.amount != document.approvedAmount {
                blocks.append(.row(labels.amount, amount(document.amount, document)))
            }
            let label =
                switch document.kind {
                case .sale: labels.total
                case .refund: labels.refunded
                case .void: labels.voided
                case .preauthorization: labels.authorized
                }
            blocks.append(.row(label, amount(document.approvedAmount, document), isStrong: true))
        case .declined, .canceled:
            blocks.append(.row(labels.amount, amount(document.amount, document)))
            blocks.append(
                .row(labels.approvedAmount, amount(document.approvedAmount, document), isStrong: true))
        case .unknown: blocks.append(.row(labels.amount, amount(document.amount, document), isStrong: true))
        }
        return [.beside([], blocks), .rule]
    }

    private func card(_ card: CardDetails, _ document: ReceiptDocument) -> [ReceiptBlock] {
        var blocks: [ReceiptBlock] = []
        if let name = card.applicationName { blocks.append(.row(labels.application, outside(name))) }
        var rows: [(String, String?)] = []
        if let brand = document.brand,
            card.applicationName == nil && !card.entryMode.isChip || ReceiptRules.wants(.cardBrand, on: document)
        {
            rows.append((labels.cardBrand, brand.displayName))
        }
        rows.append((labels.applicationID, card.aid))
        rows.append((labels.card, card.lastFour.map { "**** **** **** " + String($0.suffix(4)) }))
        let mode =
            switch card.entryMode {
            case .chip: labels.chip
            case .contactless: labels.contactless
            case .swipe: labels.swiped
            case .fallback: labels.fallback
            case .other(let word): word
            }
        blocks += rows.compactMap { row($0, $1) }
        // In the receipt's own language.
        if let word = accountWord(card, document) { blocks.append(.row(labels.accountType, word)) }
        blocks.append(.row(labels.entryMode, mode))
        let proof: [(String, String?)] = [
            (labels.authorizationCode, card.authorizationCode),
            (labels.response, card.authorizationResponseCode),
            (card.cryptogramType ?? "AC", card.applicationCryptogram),
            ("ATC", card.applicationTransactionCounter.map { String($0) }),
            ("TVR", card.terminalVerificationResults),
            ("TSI", card.transactionStatusInformation),
            ("IAD", ReceiptRules.wants(.issuerApplicationData, on: document) ? card.issuerApplicationData : nil),
            (labels.reference, card.hostReference),
        ]
        return [.beside(blocks, proof.compactMap { row($0, $1) })]
    }

    /// Returns the account type. Receipts in the United States omit it; elsewhere the default account is shown as well.
    private func accountWord(_ card: CardDetails, _ document: ReceiptDocument) -> String? {
        guard document.region != .unitedStates else { return nil }
        if let account = card.accountType { return labels.word(for: account) }
        return ReceiptRules.wants(.accountType, on: document) ? labels.defaultAccount : nil
    }

    private func row(_ name: String, _ text: String?) -> ReceiptBlock? { text.map { .row(name, value($0)) } }

    private func verification(_ document: ReceiptDocument) -> [ReceiptBlock] {
        // A refund needs no cardholder verification, and where nothing was paid the verification counts for nothing.
        guard let card = document.card, document.kind != .refund, document.outcome == .approved else { return [] }
        var blocks: [ReceiptBlock] = []
        switch card.cardholderVerification {
        case let method where method.isByPIN: blocks.append(.text(labels.verifiedByPIN))
        case .device: blocks.append(.text(labels.verifiedOnDevice))
        case .none: blocks.append(.text(labels.notAsked))
        case .failed: blocks.append(.text(labels.verificationFailed))
        default: break
        }
        if document.asksForSignature {
            // The copy is printed before the cardholder signs: it must not say that the signature was verified.
            blocks.append(.text(labels.signatureRequired))
            if document.copy == .merchant { blocks.append(.signature(labels.signature)) }
        }
        // An unknown verification has nothing here, and the ending begins with a space of its own.
        return blocks.isEmpty ? [] : [.space] + blocks
    }

    private func ending(_ document: ReceiptDocument) -> [ReceiptBlock] {
        var copy: [ReceiptBlock] = [.text(document.copy == .merchant ? labels.merchantCopy : labels.customerCopy)]
        if document.isDuplicate { copy.append(.text("*** \(labels.duplicate) ***", isStrong: true)) }
        let code: [ReceiptBlock] =
            switch (document.codeForm, document.code) {
            case (.none, _), (_, nil): []
            case (.qr, let text?): [.code(text)]
            case (.barcode, let text?): [.barcode(text)]
            }
        var blocks: [ReceiptBlock] = [.space, .beside(copy, code)]
        if document.copy == .customer { blocks.append(.text(labels.keepThisReceipt)) }
        blocks += document.footer.map { .text($0) }
        return blocks + [.cut]
    }
}

/// A test receipt that shows the features of a printer.
public struct TestReceipt: Hashable, Sendable {
    private let printer: String
    private let columns: Int?
    private let date: String

    /// - Parameters:
    ///   - printer: The printer's name.
    ///   - columns: The columns of the printer's built-in font; nil for a page printer.
    ///   - date: The date of the print, human-readable.
    public init(printer: String, columns: Int?, date: String) {
        (self.printer, self.columns, self.date) = (printer, columns, date)
    }

    /// The blocks: characters of several code pages, a ruler, a code, and a cut.
    public var blocks: [ReceiptBlock] {
        [
            .title("PRINTER TEST"), .text(ReceiptText.printable(printer), isStrong: true), .text(date), .rule,
            .row("Western", "ÄÖÜäöüß ÀÉàéèç ñ¿¡"), .row("Currencies", "$ £ ¥ €"), .row("Central", "ąćęłńóśźż řšž"),
            .row("Cyrillic", "Привет"), .row("Bold", "1,234.50", isStrong: true), .rule,
        ] + ruler + [.text("A code with the printer's name:"), .code(printer), .text("The paper is cut below."), .cut]
    }

    /// The column numbers, so that a line that is too wide for the paper is visible at once.
    private var ruler: [ReceiptBlock] {
        guard let columns else { return [.text("The lines above and below are as wide as the paper."), .rule] }
        let tens = (1...columns).map { $0.isMultiple(of: 10) ? String($0 / 10 % 10) : " " }.joined()
        let ones = (1...columns).map { String($0 % 10) }.joined()
        return [
            .text(tens, .leading), .text(ones, .leading), .text("\(columns) columns, and not one line broken"), .rule,
        ]
    }
}
