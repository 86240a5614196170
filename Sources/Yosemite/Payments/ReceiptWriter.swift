internal import Amounts
internal import Determinism
internal import Foundation
internal import Hardware
internal import Storage

/// Writes what a payment's receipt says.
struct ReceiptWriter: Sendable {
    let merchant: Merchant
    /// Where orders are looked up.
    let journal: PaymentJournal
    let time: any TimeSource

    /// `amount` is what was asked for: the payment's amount, or the refund's. `reason` says, for people, why
    /// it was not approved.
    func content(
        kind: ReceiptContent.Kind, outcome: ReceiptContent.Outcome, payment: PaymentID, orderID: Int64?, amount: Money,
        reason: String?, card: CardPresentTransactionDetails?
    ) -> ReceiptContent {
        // A receipt is made of what can be read: without its order rather than not at all.
        let order = orderID == nil ? nil : (try? journal.capture(of: payment)) ?? nil
        return ReceiptContent(
            kind: kind, outcome: outcome, merchant: merchant, store: order?.storeName,
            payment: String(describing: payment), orderID: orderID, orderNumber: order?.orderNumber, date: dateText(),
            amount: amount.decimalText,
            approvedAmount: outcome == .approved ? amount.decimalText : Self.zero(of: amount.currency),
            currency: amount.currency.code, reason: reason, card: card)
    }

    /// The content as it is stored.
    static func draft(_ content: ReceiptContent) -> ReceiptDraft {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        // Strings, numbers and enumerations: encoding them cannot fail.
        let text = (try? encoder.encode(content)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
        let kind: Receipt.Kind =
            switch (content.outcome, content.kind) {
            case (.unknown, _): .unknown
            case (.declined, _): .declined
            case (.cancelled, _): .reversal
            case (.approved, .sale), (.approved, .preauthorization): .sale
            case (.approved, .refund): .refund
            case (.approved, .void): .reversal
            }
        return ReceiptDraft(
            kind: kind, content: text, last4: content.card?.lastFour, authCode: content.card?.authorizationCode)
    }

    private static func zero(of currency: Currency) -> String {
        (try? Money(minorUnits: 0, currency: currency))?.decimalText ?? "0"
    }

    private func dateText() -> String {
        let date = time.localDate()
        func pad(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return
            "\(date.year)-\(pad(date.month))-\(pad(date.day)) \(pad(date.hour)):\(pad(date.minute)):\(pad(date.second))"
    }
}
