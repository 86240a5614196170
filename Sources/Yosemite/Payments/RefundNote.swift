internal import Amounts
internal import Networking
internal import Storage

/// Tells the people of the store, in a note at the order, that money went back at the till. The store's own books do not
/// change by it: a refund there would be another one. A note that the store does not take changes nothing here.
struct RefundNote: Sendable {
    let site: PaymentSite?
    let journal: PaymentJournal

    /// `before` is what had been given back before, in minor units.
    func write(_ payment: Payment, before: Int64) async {
        guard let site, let orderID = payment.orderID, payment.refundedMinorUnits > before,
            let stored = try? journal.payment(PaymentID(rawValue: payment.id)),
            let capture = try? journal.capture(of: stored.id), capture.state == .confirmed,
            site.covers(capture, of: stored),
            let part = try? Money(
                minorUnits: payment.refundedMinorUnits - before, currency: payment.amount.currency)
        else { return }
        let note = try? await site.orders.addOrderNote(
            siteID: payment.siteID, orderID: orderID, isCustomerNote: false,
            note: "\(part) given back to the card at the till (\(payment.name)).")
        guard let note else { return }
        _ = try? site.context.storage.performAndSave { try $0.save(note) }
    }
}
