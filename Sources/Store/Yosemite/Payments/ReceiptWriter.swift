import Determinism
import Foundation
import Money
import Payments
import Storage
import Text

/// Creates the content of receipts.
struct ReceiptWriter: Sendable {
    let merchant: Merchant
    /// The languages among which a card chooses.
    let languages: [ReceiptLanguage]
    /// The source of orders and earlier receipts.
    let journal: PaymentJournal
    let time: any TimeSource

    /// `amount` is the requested amount of the payment or the refund, and `approved` the amount of an approval when it
    /// is another one. `reason` is the human-readable reason why it was not approved, and `reasonCode` the same without
    /// details.
    func content(
        kind: ReceiptContent.Kind, outcome: ReceiptContent.Outcome, payment: PaymentID, orderID: Int64?, amount: Money,
        approved: Money? = nil, reason: String?, reasonCode: ReceiptReason?, bill: ReceiptBill = .none,
        card: CardDetails?,
        language: ReceiptLanguage? = nil
    ) -> ReceiptContent {
        // When the order cannot be read, the receipt is created without it.
        let order = orderID == nil ? nil : (try? journal.notification(of: payment)) ?? nil
        let moment = time.now()
        let offset = time.offsetSeconds(at: moment)
        return ReceiptContent(
            kind: kind, outcome: outcome, merchant: merchant, store: order?.storeName,
            payment: String(describing: payment), orderID: orderID, orderNumber: order?.orderNumber,
            date: Self.text(moment.civil(offsetSeconds: offset)), zone: Self.zone(offset), amount: amount.decimalText,
            approvedAmount: outcome == .approved
                ? (approved ?? amount).decimalText : Self.zero(of: amount.currency),
            currency: amount.currency.code, reason: reason, reasonCode: reasonCode, breakdown: bill.breakdown,
            breakdownNote: bill.note, card: card?.stored,
            language: language ?? ReceiptLanguage.chosen(by: card?.languages ?? [], among: languages))
    }

    /// Returns the newest receipt of a payment's sale or pre-authorization; nil when there is none that can be read.
    func sale(of payment: PaymentID) -> ReceiptContent? {
        guard let receipts = try? journal.receipts(of: payment) else { return nil }
        for receipt in receipts {
            guard let content = try? JSONDecoder().decode(ReceiptContent.self, from: Data(receipt.content.utf8)),
                content.kind == .sale || content.kind == .preauthorization
            else { continue }
            return content
        }
        return nil
    }

    /// Returns the items and totals of a payment, from its last receipt.
    func bill(of payment: PaymentID) -> ReceiptBill {
        guard let sale = sale(of: payment) else { return .none }
        return ReceiptBill(breakdown: sale.breakdown, note: sale.breakdownNote)
    }

    /// Creates the receipt of a refund. A full refund lists the items of the sale; a partial refund has no items. It
    /// contains the sale's card, without the sale's authorization.
    func refund(
        _ outcome: ReceiptContent.Outcome, of payment: Payment, amount: Money, reason: String?,
        reasonCode: ReceiptReason?,
        answer: RefundResult? = nil
    ) -> ReceiptContent {
        let sale = sale(of: payment.id)
        var card = sale?.card ?? payment.card
        card?.authorizationCode = answer?.authorizationCode
        card?.authorizationResponseCode = answer?.responseCode
        card?.hostReference = answer?.reference
        card?.applicationCryptogram = nil
        card?.cryptogramType = nil
        card?.terminalVerificationResults = nil
        card?.transactionStatusInformation = nil
        card?.issuerApplicationData = nil
        card?.applicationTransactionCounter = nil
        // The cardholder was verified for the sale, and is not verified for the refund.
        card?.cardholderVerification = .none
        return content(
            kind: .refund, outcome: outcome, payment: payment.id, orderID: payment.orderID, amount: amount,
            reason: reason, reasonCode: reasonCode,
            bill: amount == payment.amount
                ? ReceiptBill(breakdown: sale?.breakdown, note: sale?.breakdownNote) : .none,
            card: card, language: sale?.language)
    }

    /// Encodes the content for storage.
    static func draft(_ content: ReceiptContent) -> ReceiptDraft {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        // Strings, numbers and enumerations: encoding them cannot fail.
        let text = (try? encoder.encode(content)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
        let kind: Receipt.Kind =
            switch (content.outcome, content.kind) {
            case (.unknown, _): .unknown
            case (.declined, _): .declined
            case (.canceled, _), (.approved, .void): .reversal
            case (.approved, .sale), (.approved, .preauthorization): .sale
            case (.approved, .refund): .refund
            }
        return ReceiptDraft(
            kind: kind, content: text, last4: content.card?.lastFour, authCode: content.card?.authorizationCode)
    }

    private static func zero(of currency: Currency) -> String {
        (try? Money(minorUnits: 0, currency: currency))?.decimalText ?? "0"
    }

    private static func text(_ date: CivilDate) -> String {
        "\(date.dayText) \(date.timeText)"
    }

    /// `UTC`, `UTC+05:30`
    private static func zone(_ offset: Int) -> String {
        let minutes = offset.magnitude / 60
        guard minutes > 0 else { return "UTC" }
        return "UTC\(offset < 0 ? "-" : "+")\((minutes / 60).zeroPadded(to: 2)):\((minutes % 60).zeroPadded(to: 2))"
    }
}
