internal import Concurrency
internal import Determinism
internal import Money
internal import Networking
public import Payments
internal import Storage
internal import Text

/// Notifies store sites of the payments of their orders, one at a time: of a new payment, and of payments with an open
/// notification.
struct OrderPaymentNotifications: Sendable {
    let journal: PaymentJournal
    let site: PaymentSite?
    let time: any TimeSource
    private let line = CommandQueue()

    init(journal: PaymentJournal, site: PaymentSite?, time: any TimeSource) {
        (self.journal, self.site, self.time) = (journal, site, time)
    }

    /// Notifies the site of one payment, and checks a rejected payment again.
    ///
    /// Canceling the caller does not stop the notification.
    func sync(_ id: PaymentID) async throws(JournalError) -> OrderPaymentNotification {
        let command = OrderPaymentNotificationCommand(payment: id, journal: journal, site: site, time: time)
        let telling = Task { () async -> Result<OrderPaymentNotification, JournalError> in
            do throws(QueueFailure<JournalError>) {
                return .success(try await line.run(command, reuse: true))
            } catch {
                switch error {
                case .failed(let error): return .failure(error)
                // Nothing cancels this task; the notification stays as it is.
                case .canceled: return .failure(.nothingToNotify(id))
                }
            }
        }
        return try await telling.value.get()
    }

    /// Waits until no notification is running; its result is stored by then.
    func finish() async {
        await Task { _ = try? await line.run(ClosureCommand { () throws(Never) in }) }.value
    }

    /// Notifies the site of every payment with an open notification. Stops using a site after it could not be reached.
    func syncOpen() async throws(JournalError) -> OrderPaymentReport {
        var report = OrderPaymentReport()
        var isReachable = true
        for capture in try journal.openNotifications() {
            do throws(JournalError) {
                if isReachable, let site, site.covers(capture, of: try journal.payment(capture.id)) {
                    let after = try await sync(capture.id)
                    isReachable = !after.state.isOpen || after.tries > capture.tries
                }
                report.add(try journal.paymentWithNotification(capture.id))
            } catch {
                report.failed.append(RecoveryReport.Failure(payment: "\(capture.id)", error: error))
            }
        }
        return report
    }
}

/// Notifies a store site that one of its orders is paid, and verifies the result.
///
/// The order decides, not the answers: it is fetched before the notification, and again afterward, whatever the site
/// answered. The journal records the notification before the request is sent, and every try contains the same intent,
/// so that the site can process it once. A confirmation is committed together with the order that shows it.
struct OrderPaymentNotificationCommand: Command {
    let payment: PaymentID
    let journal: PaymentJournal
    let site: PaymentSite?
    let time: any TimeSource

    /// Notifications of the same payment are combined.
    var key: CommandKey? { CommandKey("payments.capture", "\(payment)") }

    private enum Sight {
        case order(Networking.Order, OrderVerdict)
        /// The order does not exist.
        case gone(String)
        /// The site denies access to the order.
        case hidden(NetworkError)
    }

    func execute() async throws(JournalError) -> OrderPaymentNotification {
        let capture = try journal.claimNotification(of: payment)
        let paid = try journal.payment(payment)
        guard capture.state != .confirmed, paid.state.isCaptured, let intentID = capture.intentID,
            let orderID = paid.orderID, let gateway = PaymentGatewayExtension(rawValue: capture.gateway),
            let site, site.covers(capture, of: paid)
        else { return capture }
        let before = await look(at: orderID, of: paid, intentID: intentID, site)
        guard case .order(_, .unpaid) = before else { return try resolve(before, of: capture) }
        do throws(JournalError) {
            try journal.markNotificationSent(of: payment, at: time.now())
        } catch {
            guard case .refundedBeforeNotification = error else { throw error }
            return try note(.refused, "\(error)", of: capture)
        }
        let answer: Result<RemotePaymentIntent, NetworkError>
        do throws(NetworkError) {
            answer = .success(
                try await site.remote(gateway).captureOrderPayment(
                    siteID: paid.siteID, orderID: orderID, paymentIntentID: intentID, idempotencyKey: intentID))
        } catch {
            answer = .failure(error)
        }
        let after = await look(at: orderID, of: paid, intentID: intentID, site)
        switch after {
        case .order(_, .unpaid): return try note(answer, orderIsSeen: true, of: capture)
        case .hidden: return try note(answer, orderIsSeen: false, of: capture)
        case .order, .gone: return try resolve(after, of: capture)
        }
    }

    private func look(
        at orderID: Int64, of paid: Payment, intentID: String, _ site: PaymentSite
    ) async -> Sight {
        do throws(NetworkError) {
            let order = try await site.orders.loadOrder(siteID: paid.siteID, orderID: orderID)
            return .order(order, OrderVerdict(order, payment: paid, intentID: intentID))
        } catch {
            // Only an error about the order ID means that the order is gone; any other 404 may have another cause.
            guard case .service(let service) = error, service.code?.hasSuffix("_invalid_id") == true else {
                return .hidden(error)
            }
            return .gone("the store has no order \(orderID) any more")
        }
    }

    /// Determines the result from the order.
    private func resolve(_ sight: Sight, of capture: OrderPaymentNotification) throws(JournalError)
        -> OrderPaymentNotification
    {
        switch sight {
        case .order(let order, let verdict):
            let (state, reason): (OrderPaymentNotification.State, String?) =
                switch verdict {
                case .paidByIt(let remark): (.confirmed, remark)
                case .conflict(let reason): (.conflict, reason)
                case .closed(let reason): (.refused, reason)
                case .unpaid: (capture.state.afterSilence, capture.lastError)
                }
            return try journal.recordNotification(
                of: payment, as: state, orderStatus: order.status.rawValue, reason: reason, at: time.now()
            ) { _ = try $0.save(order) }
        case .gone(let reason): return try note(.refused, reason, of: capture)
        case .hidden(let error): return try note(capture.state.afterSilence, "\(error)", of: capture)
        }
    }

    /// Determines the result from the answer, when the order does not show the payment or cannot be read.
    private func note(
        _ answer: Result<RemotePaymentIntent, NetworkError>, orderIsSeen: Bool, of capture: OrderPaymentNotification
    ) throws(JournalError) -> OrderPaymentNotification {
        switch answer {
        case .success(let intent) where intent.status == .canceled && orderIsSeen:
            return try note(.refused, "the payment gateway has canceled \(intent.id)", of: capture)
        case .success(let intent):
            return try note(
                .unknown, "the store answered '\(intent.status.rawValue)', and its order does not show the payment yet",
                of: capture)
        case .failure(let error) where error.mayHaveTakenEffect: return try note(.unknown, "\(error)", of: capture)
        case .failure(.service(let error)) where orderIsSeen && error.isRefusal:
            return try note(.refused, "\(error)", of: capture)
        case .failure(let error): return try note(capture.state.afterSilence, "\(error)", of: capture)
        }
    }

    private func note(
        _ state: OrderPaymentNotification.State, _ reason: String, of capture: OrderPaymentNotification
    ) throws(JournalError) -> OrderPaymentNotification {
        try journal.recordNotification(of: payment, as: state, reason: reason, at: time.now())
    }
}

extension OrderPaymentNotification.State {
    /// The state after a try that certainly had no effect: an unknown state stays unknown.
    fileprivate var afterSilence: OrderPaymentNotification.State { self == .sent ? .unknown : self }
}

extension ServiceError {
    /// Whether the store rejected the payment, rather than the program or its user.
    fileprivate var isRefusal: Bool {
        switch kind {
        case .rejected, .notFound: true
        case .unauthorized, .invalidToken, .forbidden, .siteUnreachable, .jetpackNotConnected, .noRestRoute,
            .noStatsPermission, .statsModuleDisabled, .rateLimited, .serverFailure:
            false
        }
    }
}

/// The result of sending the open notifications.
public struct OrderPaymentReport: Hashable, Sendable {
    /// Payments that their orders now show.
    public var confirmed: [Payment] = []
    /// Payments whose sites could not be notified: they are retried later.
    public var open: [Payment] = []
    /// Payments that their sites reject, or that conflict with the order: they need review.
    public var refused: [Payment] = []
    /// Payments whose records could not be read or written.
    public var failed: [RecoveryReport.Failure] = []

    public init() {}

    mutating func add(_ payment: Payment) {
        switch payment.notification?.state {
        case .confirmed: confirmed.append(payment)
        case .refused, .conflict: refused.append(payment)
        case .due, .sent, .unknown: open.append(payment)
        case .planned, nil: break
        }
    }
}

/// The state of an order with regard to a payment that was taken for it.
enum OrderVerdict: Hashable, Sendable {
    /// It shows this payment. The remark describes a deviation.
    case paidByIt(remark: String?)
    /// It was paid by other means, or its amount has changed: it needs review.
    case conflict(String)
    /// It no longer accepts a payment.
    case closed(String)
    /// It is unchanged and awaits the payment.
    case unpaid

    init(_ order: Networking.Order, payment: Payment, intentID: String) {
        let total = try? order.amount()
        let cost = total.map(\.description) ?? "\(order.total) \(order.currency)"
        guard order.datePaidGMT == nil else {
            guard Self.names(order, intentID) else {
                self = .conflict(
                    "order \(order.id) was paid otherwise"
                        + (order.paymentMethodTitle.isEmpty ? "" : " (\(order.paymentMethodTitle))"))
                return
            }
            self = .paidByIt(
                remark: total == payment.amount ? nil : "the order costs \(cost) by now, \(payment.amount) was paid")
            return
        }
        switch order.status {
        case .canceled, .refunded, .custom("trash"):
            self = .closed("order \(order.id) is \(order.status.rawValue)")
        default:
            self =
                total == payment.amount
                ? .unpaid : .conflict("order \(order.id) costs \(cost) by now, \(payment.amount) was paid")
        }
    }

    /// Each gateway stores the intent in the order, under its own meta key.
    private static func names(_ order: Networking.Order, _ intentID: String) -> Bool {
        order.transactionID == intentID
            || order.metaData.contains {
                ($0.key == "_intent_id" || $0.key == "_stripe_intent_id") && $0.value?.textValue == intentID
            }
    }
}
