import FoundationEssentials
import Payments

extension ReceiptDocument {
    /// The document with all texts sanitized for paper: without control characters, and with at most the last four
    /// digits of a card number.
    var printable: ReceiptDocument {
        var document = self
        document.merchant.name = ReceiptText.concealed(merchant.name)
        document.merchant.lines = merchant.lines.map(ReceiptText.concealed)
        document.merchant.merchantID = ReceiptText.printable(merchant.merchantID)
        document.merchant.terminalID = ReceiptText.printable(merchant.terminalID)
        document.header = header.map(ReceiptText.concealed)
        document.footer = footer.map(ReceiptText.concealed)
        document.payment = ReceiptText.printable(payment)
        document.store = store.map(ReceiptText.concealed)
        document.orderNumber = orderNumber.map(ReceiptText.concealed)
        document.date = ReceiptText.printable(date)
        document.zone = zone.map(ReceiptText.printable)
        document.currency = ReceiptText.printable(currency)
        document.items = items.map { item in
            ReceiptItem(
                title: ReceiptText.concealed(item.title), quantity: ReceiptText.concealed(item.quantity),
                amount: ReceiptText.printable(item.amount),
                attributes: item.attributes.map {
                    ReceiptItem.Attribute(
                        name: ReceiptText.concealed($0.name), value: ReceiptText.concealed($0.value))
                })
        }
        document.totals = totals.map {
            ReceiptTotal(
                $0.kind, detail: $0.detail.map(ReceiptText.concealed), amount: ReceiptText.printable($0.amount))
        }
        document.amount = ReceiptText.printable(amount)
        document.approvedAmount = ReceiptText.printable(approvedAmount)
        document.reason = reason.map(ReceiptText.concealed)
        document.code = code.map(ReceiptText.concealed)
        document.card?.lastFour = card?.lastFour.map { String(ReceiptText.printable($0).suffix(4)) }
        document.card?.applicationName = card?.applicationName.map(ReceiptText.concealed)
        document.card?.offlineDataAuthenticationReason = card?.offlineDataAuthenticationReason
            .map(ReceiptText.concealed)
        document.card?.authorizationCode = card?.authorizationCode.map(ReceiptText.concealed)
        document.card?.authorizationResponseCode = card?.authorizationResponseCode.map(ReceiptText.concealed)
        document.card?.hostReference = card?.hostReference.map(ReceiptText.concealed)
        document.card?.cryptogramType = card?.cryptogramType.map(ReceiptText.printable)
        document.card?.aid = card?.aid.map(ReceiptText.printable)
        document.card?.applicationCryptogram = card?.applicationCryptogram.map(ReceiptText.printable)
        document.card?.issuerApplicationData = card?.issuerApplicationData.map(ReceiptText.printable)
        document.card?.terminalVerificationResults = card?.terminalVerificationResults.map(ReceiptText.printable)
        document.card?.transactionStatusInformation = card?.transactionStatusInformation.map(ReceiptText.printable)
        return document
    }
}

/// A receipt as a file, or as bytes for a printer.
public struct RenderedReceipt: Hashable, Sendable {
    public let bytes: [UInt8]
    /// The number of characters without an installed font. Letters are drawn as boxes, and emoji are left out.
    public let missingGlyphs: Int

    init(bytes: [UInt8], missingGlyphs: Int) { (self.bytes, self.missingGlyphs) = (bytes, missingGlyphs) }

    /// Creates a text format, which needs no font.
    public init(text: String) { self.init(bytes: Array(text.utf8), missingGlyphs: 0) }
}

/// Renders a receipt as JSON: the document itself, independent of language and without the logo.
public struct JSONRenderer: Sendable {
    /// Creates a renderer, which has no options.
    public init() {}

    /// Renders one JSON object with sorted keys and a final newline.
    ///
    /// - Parameters:
    ///   - document: The document.
    ///   - isLine: Whether to write it on one line, for JSON lines.
    /// - Returns: The text.
    /// - Throws: ``ReceiptError/noJSON(_:)``
    public func render(_ document: ReceiptDocument, isLine: Bool = false) throws(ReceiptError) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if !isLine { encoder.outputFormatting.insert(.prettyPrinted) }
        do {
            return String(decoding: try encoder.encode(document.printable), as: UTF8.self) + "\n"
        } catch {
            throw .noJSON("\(error)")
        }
    }
}

/// Renders a receipt as plain text, for a roll of paper, a terminal, or a message. Logos and codes are left out.
///
/// Right-to-left text stays in logical order: the display reorders it.
public struct PlainTextRenderer: Sendable {
    private let layout: LineLayout

    /// `width`: the columns, limited to 24...80.
    public init(width: Int) { layout = LineLayout(width: width) }

    /// Returns the lines, each with a final newline.
    public func render(_ blocks: [ReceiptBlock]) -> String {
        var text = ""
        for line in layout.lines(blocks) {
            guard let columns = line.columns(layout.width) else { continue }
            text += columns
            text += "\n"
        }
        return text
    }
}
