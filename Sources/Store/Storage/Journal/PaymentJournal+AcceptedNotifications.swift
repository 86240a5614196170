public import Determinism
public import Payments

extension PaymentJournal {
    /// Records in one commit that a person accepts what the site does not show of a payment and its refunds, and has
    /// dealt with it there. Nothing of it is sent any more. It moves no money.
    ///
    /// - Parameters:
    ///   - id: The payment.
    ///   - reason: Why it is accepted, for people. Digits that may be a card number are masked.
    ///   - moment: The time of the acceptance.
    /// - Returns: The payment with its notifications.
    /// - Throws: ``JournalError/nothingToAccept(_:)`` when the site has everything, or it was accepted before;
    ///   ``JournalError/notificationNotOurs(_:lease:)`` while another process sends it;
    ///   ``JournalError/paymentNotFound(_:)``, ``JournalError/storage(_:)``
    @discardableResult
    public func acceptNotifications(
        of id: PaymentID, reason: String, at moment: Timestamp
    ) throws(JournalError) -> Payment {
        try write { storage in
            let payment = try addNotification(to: try load(id, from: storage), from: storage)
            // The site need not know of a payment that was given back before it was notified.
            let isGivenBack = payment.state == .refunded && payment.notification?.state.needsReview == true
            let notice = payment.notification.flatMap { $0.state.isFinal || isGivenBack ? nil : $0 }
            let refunds = payment.refundNotifications.filter { !$0.state.isFinal }
            guard notice != nil || !refunds.isEmpty else { throw JournalError.nothingToAccept(id) }
            if let notice {
                _ = try move(try claim(notice, in: storage), to: .accepted, at: moment, in: storage) {
                    $0.acceptance = reason
                }
            }
            for refund in refunds {
                _ = try move(try claim(refund, in: storage), to: .accepted, at: moment, in: storage) {
                    $0.acceptance = reason
                }
            }
            return try addNotification(to: payment, from: storage)
        }
    }
}

/// What people have to decide about, as SQL conditions: ``Payment/needsReview`` without reading the payments.
enum ReviewRule {
    /// A row of `siteRefund`.
    static let refund = "state IN ('refused', 'conflict')"
    /// A row of `siteCapture`. A payment that was given back needs no decision.
    static let payment = """
        state IN ('refused', 'conflict')
        AND NOT EXISTS (SELECT 1 FROM payment WHERE payment.id = siteCapture.id AND payment.state = 'refunded')
        """
    /// A row of `payment`.
    static let payments = """
        id IN (SELECT siteCapture.id FROM siteCapture WHERE \(payment))
        OR id IN (SELECT paymentID FROM siteRefund WHERE \(refund))
        """
}
