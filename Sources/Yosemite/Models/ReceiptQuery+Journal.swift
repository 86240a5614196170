internal import Storage

extension ReceiptFilter {
    init(_ query: ReceiptQuery) {
        self.init(
            paymentID: query.paymentID.map(PaymentID.init), orderID: query.orderID, since: query.since,
            before: query.before, last4: query.lastFour, amount: query.amount, authCode: query.authorizationCode,
            olderThan: query.olderThan)
    }
}
