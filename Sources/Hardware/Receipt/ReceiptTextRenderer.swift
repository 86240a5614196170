internal import EMV

/// Lays a receipt out as plain text for a roll of paper or a terminal.
///
/// The fields are those that the card schemes ask for on a chip receipt: AID and application name,
/// masked PAN, entry mode, cardholder verification, cryptogram, authorisation code, amounts. The expiry
/// date is never printed.
public struct ReceiptTextRenderer: Sendable {
    /// Columns of the paper, 24 or more: 80 mm paper has 42 or 48, 58 mm paper 32.
    public let width: Int

    public init(width: Int = 40) { self.width = max(24, width) }

    /// The receipt, each line at most ``width`` characters, ended by a newline.
    public func render(_ content: ReceiptContent, copy: ReceiptCopy, isDuplicate: Bool = false) -> String {
        var lines = heading(content)
        lines += outcome(content)
        lines += amounts(content)
        if let card = content.card { lines += self.card(card) }
        lines += verification(content, copy: copy)
        lines.append("")
        lines.append(center(copy == .merchant ? "MERCHANT COPY" : "CUSTOMER COPY"))
        if isDuplicate { lines.append(center("*** DUPLICATE ***")) }
        if copy == .customer { lines.append(center("Please keep this receipt")) }
        return lines.flatMap(wrap).joined(separator: "\n") + "\n"
    }

    private func heading(_ content: ReceiptContent) -> [String] {
        let merchant = content.merchant
        var lines = [center(merchant.name)] + merchant.lines.map(center)
        lines.append("")
        lines.append(row(content.date, "No. " + content.payment))
        lines.append(row("MID " + merchant.merchantID, "TID " + merchant.terminalID))
        if let store = content.store { lines.append(row("Store", store)) }
        if let order = content.orderNumber ?? content.orderID.map(String.init) {
            lines.append(row("Order", "#\(order)"))
        }
        lines.append(rule)
        return lines
    }

    private func outcome(_ content: ReceiptContent) -> [String] {
        let title = content.kind == .sale ? "SALE" : "REFUND"
        switch content.outcome {
        case .approved: return [center("\(title) APPROVED"), ""]
        case .declined: return [center("\(title) DECLINED")] + reason(content) + [""]
        case .cancelled: return [center("\(title) CANCELLED")] + reason(content) + [""]
        case .unknown:
            return [center("\(title): OUTCOME UNKNOWN")] + reason(content) + [
                center("Do not charge again."), center("The payment is being checked."), "",
            ]
        }
    }

    private func reason(_ content: ReceiptContent) -> [String] {
        content.reason.map { [center($0)] } ?? []
    }

    private func amounts(_ content: ReceiptContent) -> [String] {
        var lines = [row("Amount", "\(content.amount) \(content.currency)")]
        switch content.outcome {
        case .approved:
            lines.append(row(content.kind == .sale ? "TOTAL" : "REFUNDED", "\(content.amount) \(content.currency)"))
        case .declined, .cancelled:
            lines.append(row("Approved amount", "\(content.approvedAmount) \(content.currency)"))
        case .unknown: break
        }
        return lines + [rule]
    }

    private func card(_ card: CardPresentTransactionDetails) -> [String] {
        var lines: [String] = []
        if let name = card.applicationName {
            lines.append(row("Application", name))
        } else if card.entryMode != .chip, let brand = CardBrand(rawValue: card.brand) {
            lines.append(row("Card brand", brand.displayName))
        }
        if let aid = card.aid { lines.append(row("AID", aid)) }
        if let digits = card.lastFour { lines.append(row("Card", "**** **** **** \(digits)")) }
        lines.append(row("Entry mode", Self.word(for: card.entryMode)))
        if let code = card.authorizationCode { lines.append(row("Auth code", code)) }
        if let code = card.authorizationResponseCode { lines.append(row("Response", code)) }
        if let cryptogram = card.applicationCryptogram {
            lines.append(row(card.cryptogramType ?? "AC", cryptogram))
        }
        if let counter = card.applicationTransactionCounter { lines.append(row("ATC", String(counter))) }
        if let results = card.terminalVerificationResults { lines.append(row("TVR", results)) }
        if let information = card.transactionStatusInformation { lines.append(row("TSI", information)) }
        if let reference = card.hostReference { lines.append(row("Reference", reference)) }
        return lines
    }

    private func verification(_ content: ReceiptContent, copy: ReceiptCopy) -> [String] {
        guard let card = content.card else { return [] }
        var lines = [""]
        switch card.cardholderVerification {
        case .offlinePIN, .encipheredOfflinePIN, .onlinePIN, .offlinePINAndSignature,
            .encipheredOfflinePINAndSignature:
            lines.append(center("VERIFIED BY PIN"))
        case .none: lines.append(center("NO CARDHOLDER VERIFICATION"))
        case .failed: lines.append(center("CARDHOLDER NOT VERIFIED"))
        case .signature: break
        }
        if card.cardholderVerification.needsSignature, content.outcome == .approved {
            lines += copy == .merchant ? ["", "", "Signature" + String(repeating: "_", count: width - 9)] : []
            lines.append(center("VERIFIED BY SIGNATURE"))
        }
        return lines
    }

    private static func word(for mode: CardPresentTransactionDetails.EntryMode) -> String {
        switch mode {
        case .chip: "CHIP"
        case .swipe: "SWIPED"
        case .fallback: "FALLBACK"
        }
    }

    private var rule: String { String(repeating: "-", count: width) }

    private func center(_ text: String) -> String {
        let text = Self.printable(text)
        return text.count < width ? String(repeating: " ", count: (width - text.count) / 2) + text : text
    }

    /// A name on the left and a value on the right; on two lines when they do not fit on one.
    private func row(_ name: String, _ value: String) -> String {
        let (name, value) = (Self.printable(name), Self.printable(value))
        let gap = width - name.count - value.count
        if gap > 0 { return name + String(repeating: " ", count: gap) + value }
        return name + "\n" + String(repeating: " ", count: max(0, width - value.count)) + value
    }

    private func wrap(_ line: String) -> [String] {
        line.split(separator: "\n", omittingEmptySubsequences: false).flatMap { part -> [String] in
            var rest = part
            var lines: [String] = []
            while rest.count > width {
                let head = rest.prefix(width)
                let cut = head.lastIndex(of: " ").map { $0 == head.startIndex ? head.endIndex : $0 } ?? head.endIndex
                lines.append(String(rest[..<cut]))
                rest = rest[cut...].drop { $0 == " " }
            }
            return lines + [String(rest)]
        }
    }

    /// What comes from a card or a host may hold control characters, which a printer would obey.
    private static func printable(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.filter { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) }))
    }
}
