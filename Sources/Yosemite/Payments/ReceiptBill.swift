internal import Amounts
internal import Hardware

/// What a receipt says of what an amount is made of.
struct ReceiptBill: Hashable, Sendable {
    /// Nil when there is nothing to tell, or it does not add up.
    var breakdown: ReceiptBreakdown?
    var note: ReceiptContent.BreakdownNote?

    /// Of an amount by itself.
    static let none = ReceiptBill()

    /// What is left of an amount without its tip, and the tip.
    init?(_ amount: Money, tip: Money) {
        guard tip.currency == amount.currency,
            let rest = try? Money(minorUnits: amount.minorUnits - tip.minorUnits, currency: amount.currency)
        else { return nil }
        breakdown = ReceiptBreakdown(
            items: [],
            totals: [ReceiptTotal(.subtotal, amount: rest.decimalText), ReceiptTotal(.tip, amount: tip.decimalText)])
    }

    init(breakdown: ReceiptBreakdown? = nil, note: ReceiptContent.BreakdownNote? = nil) {
        (self.breakdown, self.note) = (breakdown, note)
    }
}
