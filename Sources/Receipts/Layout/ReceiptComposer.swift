internal import EMV
internal import Hardware

/// Says a receipt in a language: the one place that decides what stands on it, in which order and in which words.
///
/// The fields are those that the card schemes ask for (see `docs/receipts.md`). An expiry date is never among them, and
/// of a card's number at most the last four digits.
public struct ReceiptComposer: Sendable {
    public let locale: ReceiptLocale

    public init(locale: ReceiptLocale) { self.locale = locale }

    /// The blocks of a receipt, from top to bottom.
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

    /// What a receipt is called: its merchant's name and the payment's.
    public func title(_ source: ReceiptDocument) -> String {
        let document = source.printable
        return "\(document.merchant.name) \(document.payment)"
    }

    /// In both languages of Canada, whatever the receipt's own.
    private static let transactionRecord = "TRANSACTION RECORD / RELEVÉ DE TRANSACTION"

    private var labels: ReceiptLabels { locale.labels }

    /// A value that runs from left to right in every script: digits, hexadecimal digits, names of the payment's world.
    private func value(_ text: String) -> String {
        // LEFT-TO-RIGHT ISOLATE and POP DIRECTIONAL ISOLATE (Unicode Standard Annex 9).
        locale.isRightToLeft ? "\u{2066}\(text)\u{2069}" : text
    }

    /// A text from outside. Where it may run the other way than what stands around it, it keeps to itself.
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
        var blocks: [ReceiptBlock] = document.logo.map { [.logo($0)] } ?? []
        blocks += document.header.map { .text(outside($0)) }
        blocks.append(.title(outside(merchant.name)))
        blocks += merchant.lines.map { .text(outside($0)) }
        if ReceiptRules.wants(.transactionRecord, on: document) { blocks.append(.text(Self.transactionRecord)) }
        blocks.append(.space)
        blocks.append(.row(labels.date, value(locale.format(date: document.date, zone: document.zone))))
        blocks.append(.row(labels.payment, value(document.payment)))
        if let store = document.store { blocks.append(.row(labels.store, outside(store))) }
        if let order = document.orderNumber ?? document.orderID.map(String.init) {
            blocks.append(.row(labels.order, value("#\(order)")))
        }
        blocks.append(.row(labels.merchantID, value(document.merchant.merchantID)))
        blocks.append(.row(labels.terminalID, value(document.merchant.terminalID)))
        return blocks + [.rule]
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
            case .cancelled: labels.cancelled
            case .unknown: labels.outcomeUnknown
            }
        var blocks: [ReceiptBlock] = [.title(kind), .text(outcome, isStrong: true)]
        if document.outcome != .approved, let reason = document.reason { blocks.append(.text(outside(reason))) }
        if document.kind == .void, document.outcome == .approved { blocks.append(.text(labels.nothingCharged)) }
        if document.outcome == .unknown {
            blocks += [.text(labels.doNotChargeAgain, isStrong: true), .text(labels.beingChecked)]
        }
        return blocks + [.space]
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
            let label =
                switch document.kind {
                case .sale: labels.total
                case .refund: labels.refunded
                case .void: labels.voided
                case .preauthorization: labels.authorized
                }
            blocks.append(.row(label, amount(document.approvedAmount, document), isStrong: true))
        case .declined, .cancelled:
            blocks.append(.row(labels.amount, amount(document.amount, document)))
            blocks.append(
                .row(labels.approvedAmount, amount(document.approvedAmount, document), isStrong: true))
        case .unknown: blocks.append(.row(labels.amount, amount(document.amount, document), isStrong: true))
        }
        return blocks + [.rule]
    }

    private func card(_ card: CardPresentTransactionDetails, _ document: ReceiptDocument) -> [ReceiptBlock] {
        var blocks: [ReceiptBlock] = []
        if let name = card.applicationName { blocks.append(.row(labels.application, outside(name))) }
        var rows: [(String, String?)] = []
        if let brand = document.brand,
            card.applicationName == nil && card.entryMode != .chip || ReceiptRules.wants(.cardBrand, on: document)
        {
            rows.append((labels.cardBrand, brand.displayName))
        }
        rows.append((labels.applicationID, card.aid))
        rows.append((labels.card, card.lastFour.map { "**** **** **** " + String($0.suffix(4)) }))
        let mode =
            switch card.entryMode {
            case .chip: labels.chip
            case .swipe: labels.swiped
            case .fallback: labels.fallback
            }
        blocks += rows.compactMap { row($0, $1) }
        // They are in the receipt's own language.
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
        return blocks + proof.compactMap { row($0, $1) }
    }

    /// In the United States nobody asks for it, and elsewhere it is said even when it is the one that nobody chose.
    private func accountWord(_ card: CardPresentTransactionDetails, _ document: ReceiptDocument) -> String? {
        guard document.region != .unitedStates else { return nil }
        if let account = card.accountType { return labels.word(for: account) }
        return ReceiptRules.wants(.accountType, on: document) ? labels.defaultAccount : nil
    }

    private func row(_ name: String, _ text: String?) -> ReceiptBlock? { text.map { .row(name, value($0)) } }

    private func verification(_ document: ReceiptDocument) -> [ReceiptBlock] {
        // Nobody verifies a cardholder to give him money.
        guard let card = document.card, document.kind != .refund else { return [] }
        var blocks: [ReceiptBlock] = [.space]
        switch card.cardholderVerification {
        case let method where method.isByPIN: blocks.append(.text(labels.verifiedByPIN))
        case .none: blocks.append(.text(labels.notAsked))
        case .failed: blocks.append(.text(labels.verificationFailed))
        default: break
        }
        if document.asksForSignature {
            if document.copy == .merchant { blocks.append(.signature(labels.signature)) }
            blocks.append(.text(labels.verifiedBySignature))
        }
        return blocks
    }

    private func ending(_ document: ReceiptDocument) -> [ReceiptBlock] {
        var blocks: [ReceiptBlock] = [
            .space, .text(document.copy == .merchant ? labels.merchantCopy : labels.customerCopy),
        ]
        if document.isDuplicate { blocks.append(.text("*** \(labels.duplicate) ***", isStrong: true)) }
        if let code = document.code {
            switch document.codeForm {
            case .none: break
            case .qr: blocks.append(.code(code))
            case .barcode: blocks.append(.barcode(code))
            }
        }
        if document.copy == .customer { blocks.append(.text(labels.keepThisReceipt)) }
        blocks += document.footer.map { .text($0) }
        return blocks + [.cut]
    }
}
