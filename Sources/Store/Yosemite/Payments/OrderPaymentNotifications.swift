import Concurrency
import Determinism
import Money
import Networking
public import Payments
import Storage
import Text

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

    /// Notifies the site of one payment and of its refunds, and checks rejected ones again.
    ///
    /// Canceling the caller does not stop the notification.
    @discardableResult
    func sync(_ id: PaymentID) async throws(JournalError) -> OrderPaymentReport {
        var contacts = [try await tell(of: id).contact]
        contacts += try await syncRefunds(of: id)
        var report = OrderPaymentReport()
        report.add(try journal.paymentWithNotification(id), contacts)
        return report
    }

    /// Notifies the site of the refunds of one payment that its order shows.
    @discardableResult
    func syncRefunds(of id: PaymentID) async throws(JournalError) -> [SiteContact] {
        var contacts: [SiteContact] = []
        for refund in try journal.refundNotifications(of: id) where !refund.state.isFinal {
            contacts.append(try await tell(ofRefund: refund.id, of: id).contact)
        }
        return contacts
    }

    private func tell(of id: PaymentID) async throws(JournalError) -> NotificationAnswer<OrderPaymentNotification> {
        try await run(OrderPaymentNotificationCommand(payment: id, journal: journal, site: site, time: time), of: id)
    }

    private func tell(
        ofRefund refund: Int64, of id: PaymentID
    ) async throws(JournalError) -> NotificationAnswer<OrderRefundNotification> {
        try await run(OrderRefundNotificationCommand(refund: refund, journal: journal, site: site, time: time), of: id)
    }

    private func run<Notice: Sendable>(
        _ command: any Command<Notice, JournalError>, of id: PaymentID
    ) async throws(JournalError) -> Notice {
        let telling = Task { () async -> Result<Notice, JournalError> in
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

    /// Notifies the site of every payment and refund with an open notification. Stops using a site after it could not
    /// be reached.
    func syncOpen() async throws(JournalError) -> OrderPaymentReport {
        var round = Round()
        for capture in try journal.openNotifications() {
            await round.tell(of: capture.id, from: site, in: journal) { () throws(JournalError) in
                try await tell(of: capture.id).contact
            }
        }
        // A payment that was confirmed just now makes its refunds due.
        for refund in try journal.openRefundNotifications() {
            await round.tell(of: refund.paymentID, from: site, in: journal) { () throws(JournalError) in
                try await tell(ofRefund: refund.id, of: refund.paymentID).contact
            }
        }
        return round.report(from: journal)
    }

    /// One round of telling a site.
    private struct Round {
        private var payments: [PaymentID] = []
        private var failures: [PaymentID: JournalError] = [:]
        private var contacts: [PaymentID: [SiteContact]] = [:]
        private var isReachable = true

        mutating func tell(
            of id: PaymentID, from site: PaymentSite?, in journal: PaymentJournal,
            _ tell: () async throws(JournalError) -> SiteContact
        ) async {
            if !payments.contains(id) { payments.append(id) }
            guard isReachable, failures[id] == nil, let site else { return }
            do throws(JournalError) {
                let payment = try journal.paymentWithNotification(id)
                guard let capture = payment.notification, site.covers(capture, of: payment) else { return }
                let contact = try await tell()
                contacts[id, default: []].append(contact)
                isReachable = contact.isReachable
            } catch {
                failures[id] = error
            }
        }

        func report(from journal: PaymentJournal) -> OrderPaymentReport {
            var report = OrderPaymentReport()
            for id in payments {
                do throws(JournalError) {
                    if let error = failures[id] { throw error }
                    report.add(try journal.paymentWithNotification(id), contacts[id] ?? [])
                } catch {
                    report.failed.append(RecoveryReport.Failure(payment: "\(id)", error: error))
                }
            }
            return report
        }
    }
}

/// A notification after an exchange with its site.
struct NotificationAnswer<Notice: Sendable>: Sendable {
    let notice: Notice
    let contact: SiteContact

    init(_ notice: Notice, _ contact: SiteContact = .none) { (self.notice, self.contact) = (notice, contact) }
}

/// The exchange of a notification with its site.
enum SiteContact: Hashable, Sendable {
    /// No request was sent: there was nothing to ask, or the user is not signed in to the site.
    case none
    /// The site showed what became of the payment or refund.
    case clear
    /// The site answers, and does not show what became of it; and why.
    case unclear(String)
    /// The site could not be reached, or refuses the user; and why.
    case unreachable(String)

    /// Whether another request to the site makes sense.
    var isReachable: Bool {
        if case .unreachable = self { false } else { true }
    }

    var failure: String? {
        switch self {
        case .none, .clear: nil
        case .unclear(let reason), .unreachable(let reason): reason
        }
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

    func execute() async throws(JournalError) -> NotificationAnswer<OrderPaymentNotification> {
        let capture = try journal.claimNotification(of: payment)
        let paid = try journal.payment(payment)
        guard !capture.state.isFinal, paid.state.isCaptured, let intentID = capture.intentID,
            let orderID = paid.orderID, let completion = OrderCompletion(capture), let site,
            site.covers(capture, of: paid)
        else { return NotificationAnswer(capture) }
        let before = await look(at: orderID, of: paid, intentID: intentID, site)
        guard case .order(let order, .unpaid) = before else { return try resolve(before, of: capture) }
        do throws(JournalError) {
            try journal.markNotificationSent(of: payment, at: time.now())
        } catch {
            guard case .refundedBeforeNotification = error else { throw error }
            // An earlier try may have arrived, and the store shows old data.
            let words =
                "payment \(payment) was refunded, and its order does not show that it was paid: check it in the store"
            return NotificationAnswer(try record(.refused, capture.tries == 0 ? "\(error)" : words), .clear)
        }
        let answer: Result<RemotePaymentIntent, NetworkError>
        do throws(NetworkError) {
            answer = .success(
                try await completion.complete(order, intentID: intentID, site))
        } catch {
            answer = .failure(error)
        }
        let after = await look(at: orderID, of: paid, intentID: intentID, since: order, site)
        switch after {
        case .order(_, .unpaid): return try note(answer, orderIsSeen: true, of: capture)
        case .hidden: return try note(answer, orderIsSeen: false, of: capture)
        case .order, .gone: return try resolve(after, of: capture)
        }
    }

    /// `before`: the order before the notification; nil at first.
    private func look(
        at orderID: Int64, of paid: Payment, intentID: String, since before: Networking.Order? = nil,
        _ site: PaymentSite
    ) async -> Sight {
        do throws(NetworkError) {
            let order = try await site.orders.loadOrder(siteID: paid.siteID, orderID: orderID)
            return .order(order, OrderVerdict(order, payment: paid, intentID: intentID, since: before))
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
        -> NotificationAnswer<OrderPaymentNotification>
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
            let resolved = try journal.recordNotification(
                of: payment, as: state, orderStatus: order.status.rawValue, reason: reason, at: time.now()
            ) { _ = try $0.save(order) }
            return NotificationAnswer(resolved, .clear)
        case .gone(let reason): return NotificationAnswer(try record(.refused, reason), .clear)
        case .hidden(let error):
            // What cannot be seen changes no decision.
            let notice =
                capture.state.needsReview ? capture : try record(capture.state.afterSilence, "\(error)")
            return NotificationAnswer(notice, .unreachable("\(error)"))
        }
    }

    /// Determines the result from the answer, when the order does not show the payment or cannot be read.
    private func note(
        _ answer: Result<RemotePaymentIntent, NetworkError>, orderIsSeen: Bool, of capture: OrderPaymentNotification
    ) throws(JournalError) -> NotificationAnswer<OrderPaymentNotification> {
        switch answer {
        case .success(let intent) where intent.status == .canceled && orderIsSeen:
            return NotificationAnswer(try record(.refused, "the payment gateway has canceled \(intent.id)"), .clear)
        case .success(let intent):
            let reason = "the store answered '\(intent.status.rawValue)', and its order does not show the payment yet"
            return NotificationAnswer(try record(.unknown, reason), .unclear(reason))
        case .failure(let error) where error.mayHaveTakenEffect:
            return NotificationAnswer(try record(.unknown, "\(error)"), .unclear("\(error)"))
        case .failure(.service(let error)) where orderIsSeen && error.isRefusal:
            return NotificationAnswer(try record(.refused, "\(error)"), .clear)
        case .failure(let error):
            // The request had no effect, so a decision and its reason stay.
            let reason = capture.state.needsReview ? capture.lastError : "\(error)"
            return NotificationAnswer(try record(capture.state.afterSilence, reason), .unclear("\(error)"))
        }
    }

    private func record(
        _ state: OrderPaymentNotification.State, _ reason: String?
    ) throws(JournalError) -> OrderPaymentNotification {
        try journal.recordNotification(of: payment, as: state, reason: reason, at: time.now())
    }
}

extension OrderPaymentNotification.State {
    /// The state after a try that certainly had no effect: an unknown state stays unknown.
    var afterSilence: OrderPaymentNotification.State { self == .sent ? .unknown : self }
}

extension ServiceError {
    /// Whether the store rejected the payment, rather than the program or its user.
    var isRefusal: Bool {
        switch kind {
        case .rejected, .notFound: true
        case .unauthorized, .invalidToken, .forbidden, .siteUnreachable, .jetpackNotConnected, .noRestRoute,
            .noStatsPermission, .statsModuleDisabled, .rateLimited, .serverFailure:
            false
        }
    }
}

/// The result of sending the open notifications of payments and their refunds.
public struct OrderPaymentReport: Hashable, Sendable {
    /// Payments that their orders now show, with all refunds.
    public var confirmed: [Payment] = []
    /// Payments whose sites could not be notified: they are retried later.
    public var open: [Payment] = []
    /// Payments that their sites reject, or that conflict with the order: they need review.
    public var refused: [Payment] = []
    /// Payments of which their sites need not know any more: they were given back, or a person accepted that the sites
    /// do not show them.
    public var settled: [Payment] = []
    /// Payments of ``refused`` whose orders could not be checked again now, and why. What was known of them stays.
    public var unread: [Unread] = []
    /// Payments whose records could not be read or written.
    public var failed: [RecoveryReport.Failure] = []

    /// Whether a request was sent to a site.
    public var wasSiteAsked = false

    /// A payment in review whose order could not be checked again.
    public struct Unread: Hashable, Sendable {
        public let payment: PaymentID
        /// The error, as a human-readable sentence.
        public let reason: String
    }

    /// Creates an empty report, to which each notification adds its result.
    public init() {}

    /// Adds a payment after the exchanges about it.
    mutating func add(_ payment: Payment, _ contacts: [SiteContact]) {
        if contacts.contains(where: { $0 != .none }) { wasSiteAsked = true }
        guard let notification = payment.notification else { return }
        let states = [notification.state] + payment.refundNotifications.map(\.state)
        if states.contains(where: \.isOpen) {
            open.append(payment)
        } else if payment.needsReview {
            refused.append(payment)
            if let reason = contacts.lazy.compactMap(\.failure).first {
                unread.append(Unread(payment: payment.id, reason: reason))
            }
        } else if states.allSatisfy({ $0 == .confirmed }) {
            confirmed.append(payment)
        } else {
            settled.append(payment)
        }
    }
}
