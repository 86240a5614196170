internal import Amounts
internal import Determinism
internal import Foundation
internal import Hardware
internal import Storage

/// Writes what a payment's receipt says.
struct ReceiptWriter: Sendable {
    let merchant: Merchant
    /// Where orders and earlier receipts are looked up.
    let journal: PaymentJournal
    let time: any TimeSource

    /// `amount` is what was asked for: the payment's amount, or the refund's. `reason` says, for people, why
    /// it was not approved.
    func content(
        kind: ReceiptContent.Kind, outcome: ReceiptContent.Outcome, payment: PaymentID, orderID: Int64?, amount: Money,
        reason: String?, bill: ReceiptBill = .none, card: CardPresentTransactionDetails?
    ) -> ReceiptContent {
        // A receipt is made of what can be read: without its order rather than not at all.
        let order = orderID == nil ? nil : (try? journal.capture(of: payment)) ?? nil
        let moment = time.now()
        let offset = time.offsetSeconds(at: moment)
        return ReceiptContent(
            kind: kind, outcome: outcome, merchant: merchant, store: order?.storeName,
            payment: String(describing: payment), orderID: orderID, orderNumber: order?.orderNumber,
            date: Self.text(moment.civil(offsetSeconds: offset)), zone: Self.zone(offset), amount: amount.decimalText,
            approvedAmount: outcome == .approved ? amount.decimalText : Self.zero(of: amount.currency),
            currency: amount.currency.code, reason: reason, breakdown: bill.breakdown, breakdownNote: bill.note,
            card: card)
    }

    /// What the newest receipt of a payment's sale says; nil when it has none that can be read.
    func sale(of payment: PaymentID) -> ReceiptContent? {
        guard let receipts = try? journal.receipts(of: payment) else { return nil }
        for receipt in receipts {
            guard let content = try? JSONDecoder().decode(ReceiptContent.self, from: Data(receipt.content.utf8)),
                content.kind == .sale
            else { continue }
            return content
        }
        return nil
    }

    /// What the payment's amount is made of, as its last receipt said it.
    func bill(of payment: PaymentID) -> ReceiptBill {
        guard let sale = sale(of: payment) else { return .none }
        return ReceiptBill(breakdown: sale.breakdown, note: sale.breakdownNote)
    }

    /// The receipt of a refund. One that gives everything back lists what was sold; of a part nobody knows what it is for.
    /// It has the card of the sale, and none of the sale's own authorisation.
    func refund(
        _ outcome: ReceiptContent.Outcome, of payment: Storage.Payment, amount: Money, reason: String?,
        answer: RefundResult? = nil
    ) -> ReceiptContent {
        let sale = sale(of: payment.id)
        var card = sale?.card ?? CardPresentTransactionDetails(payment.details)
        card?.authorizationCode = answer?.authorisationCode
        card?.authorizationResponseCode = answer?.responseCode
        card?.hostReference = answer?.reference
        card?.applicationCryptogram = nil
        card?.cryptogramType = nil
        card?.terminalVerificationResults = nil
        card?.transactionStatusInformation = nil
        card?.issuerApplicationData = nil
        card?.applicationTransactionCounter = nil
        // The cardholder was verified for the sale; nobody asks him again to give him money.
        card?.cardholderVerification = .none
        return content(
            kind: .refund, outcome: outcome, payment: payment.id, orderID: payment.orderID, amount: amount,
            reason: reason,
            bill: amount == payment.amount
                ? ReceiptBill(breakdown: sale?.breakdown, note: sale?.breakdownNote) : .none,
            card: card)
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
            case (.cancelled, _), (.approved, .void): .reversal
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
        "\(date.year)-\(pad(date.month))-\(pad(date.day)) \(pad(date.hour)):\(pad(date.minute)):\(pad(date.second))"
    }

    /// `UTC`, `UTC+05:30`
    private static func zone(_ offset: Int) -> String {
        let minutes = offset.magnitude / 60
        return minutes == 0 ? "UTC" : "UTC\(offset < 0 ? "-" : "+")\(pad(minutes / 60)):\(pad(minutes % 60))"
    }

    private static func pad(_ number: some BinaryInteger) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
