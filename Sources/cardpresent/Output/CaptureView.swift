internal import Determinism
internal import Storage
internal import Yosemite

/// What the store knows of a payment, as JSON.
struct CaptureView: Encodable, Sendable {
    /// `due`, `sent`, `unknown`, `confirmed`, `refused`, `conflict`
    var state: String
    var gateway: String
    /// What the store knows the payment by.
    var intent: String
    var store: String
    var orderNumber: String
    @Nullable var orderStatus: String? = nil
    var tries: Int64
    @Nullable var reason: String? = nil
    var updatedAt: String

    init(_ capture: PaymentCapture) {
        (state, gateway, intent) = (capture.state.rawValue, capture.gateway, capture.intentID)
        (store, orderNumber, tries) = (capture.siteAddress, capture.orderNumber, capture.tries)
        (orderStatus, reason) = (capture.orderStatus, capture.reason)
        updatedAt = capture.updatedAt.description
    }
}

/// The result of `payments settle`.
struct CaptureReportView: Encodable, Sendable {
    var confirmed: [PaymentView]
    var open: [PaymentView]
    var refused: [PaymentView]
    /// Payments whose records could not be read or written, and why.
    var failed: [RecoveryView.Failure]

    init(_ report: CaptureReport) {
        (confirmed, open) = (report.confirmed.map(PaymentView.init), report.open.map(PaymentView.init))
        refused = report.refused.map(PaymentView.init)
        failed = report.failed.map { RecoveryView.Failure(payment: $0.payment, message: $0.error.description) }
    }
}
