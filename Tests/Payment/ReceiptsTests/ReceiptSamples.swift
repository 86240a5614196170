import Payments
import Receipts

/// Receipts that the tests render.
enum ReceiptSamples {
    static let card = CardDetails(
        brand: "visa", lastFour: "0010", entryMode: .chip, cardholderVerification: .offlinePIN,
        aid: "A0000000031010", applicationName: "VISA CREDIT", terminalVerificationResults: "8000008000",
        transactionStatusInformation: "6800", applicationCryptogram: "1122334455667788", cryptogramType: "TC",
        applicationTransactionCounter: 3, authorizationResponseCode: "00", authorizationCode: "A1B2C3",
        hostReference: "000000000042")

    static func content(
        _ kind: ReceiptContent.Kind = .sale, _ outcome: ReceiptContent.Outcome = .approved,
        name: String = "Corner Shop",
        reason: String? = nil, reasonCode: ReceiptReason? = nil, currency: String = "USD", card: CardDetails? = card
    ) -> ReceiptContent {
        ReceiptContent(
            kind: kind, outcome: outcome,
            merchant: Merchant(
                name: name, lines: ["1 High Street"], merchantID: "123456789012345", terminalID: "T0000001"),
            payment: "P000042", orderID: 7, date: "2026-01-02 12:00:00", amount: "1234.50",
            approvedAmount: outcome == .approved ? "1234.50" : "0.00", currency: currency, reason: reason,
            reasonCode: reasonCode, card: card)
    }

    /// A receipt with every part of a document.
    static var full: ReceiptDocument {
        var document = ReceiptDocument(content(), copy: .customer)
        document.zone = "UTC+01:00"
        document.header = ["Winter sale"]
        document.footer = ["Thank you"]
        document.items = [
            ReceiptItem(
                title: "Hoodie", quantity: "2", amount: "1200.00",
                attributes: [ReceiptItem.Attribute(name: "Size", value: "M")]),
            ReceiptItem(title: "Cap", quantity: "1", amount: "40.00"),
        ]
        document.totals = [
            ReceiptTotal(.subtotal, amount: "1240.00"), ReceiptTotal(.discount, detail: "WELCOME", amount: "-10.00"),
            ReceiptTotal(.taxes, amount: "4.50"),
        ]
        document.card?.accountType = .credit
        return document
    }

    /// A receipt of so many items.
    static func long(_ count: Int) -> ReceiptDocument {
        var document = ReceiptDocument(content(), copy: .customer)
        document.items = (1...count).map { ReceiptItem(title: "Item \($0)", quantity: "1", amount: "1.00") }
        return document
    }

    static func text(_ document: ReceiptDocument, _ locale: ReceiptLocale = .english, width: Int = 42) -> String {
        PlainTextRenderer(width: width).render(ReceiptComposer(locale: locale).compose(document))
    }
}
