import Concurrency
import Determinism
import Money
import Networking
import Payments
import Storage

/// Notifies a store site that money of one of its orders went back to the card, and verifies the result.
///
/// The order's refunds decide, not the answers: they are read before the notification, and again afterward. The journal
/// records the notification before the request is sent, and every try contains the same name, by which the refund is
/// recognized. WooCommerce has no idempotency keys, so a request is sent only while no refund has the name. A store may
/// show old data, as one with a cache or a replica does: the order and its list of refunds must agree, and after the
/// store said that it made the refund, under an ID that the journal keeps, no other request is ever sent.
struct OrderRefundNotificationCommand: Command {
    /// The attempt of the refund.
    let refund: Int64
    let journal: PaymentJournal
    let site: PaymentSite?
    let time: any TimeSource

    /// Notifications of the same refund are combined.
    var key: CommandKey? { CommandKey("payments.refund", String(refund)) }

    /// The time after which a store shows what it did, when the answer was lost.
    private static let patience = Duration.seconds(60)

    private enum Sight {
        case order(Networking.Order, [Networking.Refund], RefundVerdict)
        /// The order does not exist.
        case gone(String)
        /// The order and its refunds could not be read, or the store shows old data, and why.
        case hidden(SiteContact)
    }

    func execute() async throws(JournalError) -> NotificationAnswer<OrderRefundNotification> {
        let notice = try journal.claimRefundNotification(refund)
        let payment = try journal.paymentWithNotification(notice.paymentID)
        guard notice.state != .planned, !notice.state.isFinal, let orderID = payment.orderID,
            let capture = payment.notification, let site, site.covers(capture, of: payment)
        else { return NotificationAnswer(notice) }
        let before = await look(at: orderID, notice, site)
        guard case .order(_, _, .missing) = before else { return try resolve(before, notice) }
        guard !mayBeMade(notice) else { return try wait(notice) }
        var sent = try journal.markRefundNotificationSent(refund, at: time.now())
        let answer: Result<Networking.Refund, NetworkError>
        do throws(NetworkError) {
            answer = .success(
                try await site.refunds.createRefund(
                    siteID: payment.siteID, orderID: orderID, RefundDraft(notice, of: payment)))
        } catch {
            answer = .failure(error)
        }
        if case .success(let made) = answer, made.id > 0 {
            // At once: this ID is what keeps the next try from making a second refund.
            sent = try record(.unknown, refundID: made.id, "the store made refund \(made.id), and does not show it yet")
        }
        let after = await look(at: orderID, sent, site)
        switch after {
        case .order(_, _, .missing): return try note(answer, isSeen: true, since: notice, sent)
        // The store may show the refund a moment after it made it.
        case .hidden, .order(_, _, .vanished): return try note(answer, isSeen: false, since: notice, sent)
        case .order, .gone: return try resolve(after, sent)
        }
    }

    /// Whether a request whose answer was lost is so new that the store may have made the refund and show older data.
    private func mayBeMade(_ notice: OrderRefundNotification) -> Bool {
        guard notice.tries > 0, notice.refundID == nil, [.sent, .unknown].contains(notice.state) else { return false }
        // A clock that was set back must not prolong it.
        let now = time.now()
        return notice.updatedAt <= now && now < notice.updatedAt.advanced(by: Self.patience)
    }

    /// Records once why the refund is not sent again yet.
    private func wait(
        _ notice: OrderRefundNotification
    ) throws(JournalError) -> NotificationAnswer<OrderRefundNotification> {
        let reason = "the store may have made the refund, and not show it yet: try again in a minute"
        let known = notice.lastError ?? ""
        guard !known.hasSuffix(reason) else { return NotificationAnswer(notice, .unclear(reason)) }
        return NotificationAnswer(
            try record(.unknown, known.isEmpty ? reason : "\(known); \(reason)"), .unclear(reason))
    }

    private func look(at orderID: Int64, _ notice: OrderRefundNotification, _ site: PaymentSite) async -> Sight {
        do throws(NetworkError) {
            let order = try await site.orders.loadOrder(siteID: site.siteID, orderID: orderID)
            var refunds: [Networking.Refund] = []
            // After a request, an order without refunds may be an old one.
            if !order.refunds.isEmpty || notice.tries > 0 {
                let list = try await site.allRefunds(of: orderID)
                // A refund that cannot be read may be ours.
                if let failure = list.rejected.first {
                    return .hidden(.unclear("a refund of order \(orderID) cannot be read: \(failure)"))
                }
                refunds = list.elements
            }
            let verdict = RefundVerdict(order, refunds, of: notice)
            if case .there = verdict { return .order(order, refunds, verdict) }
            if let reason = order.contradiction(refunds) { return .hidden(.unclear(reason)) }
            guard case .missing = verdict, let made = notice.refundID else { return .order(order, refunds, verdict) }
            return try await look(for: made, of: order, refunds, notice, site)
        } catch {
            // Only an error about the order ID means that the order is gone; any other 404 may have another cause.
            guard case .service(let service) = error, service.code?.hasSuffix("_invalid_id") == true else {
                return .hidden(.unreachable("\(error)"))
            }
            return .gone("the store has no order \(orderID) any more")
        }
    }

    /// Asks for a refund that the store made, and whose order does not show it.
    private func look(
        for made: Int64, of order: Networking.Order, _ refunds: [Networking.Refund],
        _ notice: OrderRefundNotification, _ site: PaymentSite
    ) async throws(NetworkError) -> Sight {
        do throws(NetworkError) {
            let found = try await site.refunds.loadRefund(siteID: site.siteID, orderID: order.id, refundID: made)
            return .order(order, refunds + [found], RefundVerdict(found, of: notice, in: order))
        } catch {
            guard case .service(let service) = error, service.code?.hasSuffix("_invalid_id") == true else {
                throw error
            }
            return .order(
                order, refunds,
                .vanished("the store made refund \(made) of order \(order.id), and does not have it any more"))
        }
    }

    /// Determines the result from the order and its refunds.
    private func resolve(_ sight: Sight, _ notice: OrderRefundNotification) throws(JournalError)
        -> NotificationAnswer<OrderRefundNotification>
    {
        switch sight {
        case .order(let order, let refunds, let verdict):
            let (state, refundID, reason): (OrderPaymentNotification.State, Int64?, String?) =
                switch verdict {
                case .there(let id): (.confirmed, id, nil)
                case .conflict(let reason), .vanished(let reason): (.conflict, nil, reason)
                case .closed(let reason): (.refused, nil, reason)
                case .missing: (notice.state.afterSilence, nil, notice.lastError)
                }
            let resolved = try journal.recordRefundNotification(
                refund, as: state, refundID: refundID, reason: reason, at: time.now()
            ) { storage in
                try storage.save(order)
                try storage.keep(refunds, ofOrder: order.id, siteID: order.siteID)
            }
            return NotificationAnswer(resolved, .clear)
        case .gone(let reason): return NotificationAnswer(try record(.refused, reason), .clear)
        case .hidden(let contact):
            // What cannot be seen changes no decision.
            let after =
                notice.state.needsReview ? notice : try record(notice.state.afterSilence, contact.failure)
            return NotificationAnswer(after, contact)
        }
    }

    /// Determines the result from the answer, when the order's refunds do not show the refund or cannot be read.
    /// `before` is the notification before the request.
    private func note(
        _ answer: Result<Networking.Refund, NetworkError>, isSeen: Bool, since before: OrderRefundNotification,
        _ sent: OrderRefundNotification
    ) throws(JournalError) -> NotificationAnswer<OrderRefundNotification> {
        switch answer {
        // It is recorded, with its ID.
        case .success where sent.refundID != nil: return NotificationAnswer(sent, .clear)
        case .success:
            return NotificationAnswer(try record(.unknown, "the store answered without the ID of a refund"), .clear)
        case .failure(.service(let error)) where isSeen && (error.isRefusal || error.refusesRefund):
            return NotificationAnswer(try record(.refused, "\(error)"), .clear)
        case .failure(let error) where error.mayHaveTakenEffect:
            return NotificationAnswer(try record(.unknown, "\(error)"), .unclear("\(error)"))
        case .failure(let error):
            // The request had no effect, so a decision and its reason stay.
            let reason = before.state.needsReview ? before.lastError : "\(error)"
            return NotificationAnswer(try record(before.state.afterSilence, reason), .unclear("\(error)"))
        }
    }

    private func record(
        _ state: OrderPaymentNotification.State, refundID: Int64? = nil, _ reason: String?
    ) throws(JournalError) -> OrderRefundNotification {
        try journal.recordRefundNotification(refund, as: state, refundID: refundID, reason: reason, at: time.now())
    }
}

extension Networking.Order {
    /// Returns what the order and the list of its refunds do not agree about; nil when they agree. A store that
    /// contradicts itself shows old data.
    fileprivate func contradiction(_ listed: [Networking.Refund]) -> String? {
        let (own, others) = (Set(refunds.map(\.id)), Set(listed.map(\.id)))
        guard let id = own.symmetricDifference(others).min() else { return nil }
        return own.contains(id)
            ? "the store shows old data: order \(self.id) has refund \(id), and the list of its refunds does not"
            : "the store shows old data: refund \(id) is listed, and order \(self.id) does not have it"
    }
}

extension RefundDraft {
    /// The refund of a notification, under its name.
    fileprivate init(_ notice: OrderRefundNotification, of payment: Payment) {
        func decimal(_ minorUnits: Int64) -> ExactDecimal {
            ExactDecimal(coefficient: Int128(minorUnits), scale: notice.amount.currency.exponent)
        }
        self.init(
            amount: decimal(notice.amount.minorUnits),
            reason: "Refund at the till: \(payment.name) (\(notice.intentID))",
            lines: notice.lines.map { line in
                Line(
                    id: line.id, quantity: line.quantity, total: decimal(line.total),
                    taxes: Dictionary(line.taxes.map { ($0.rate, decimal($0.total)) }) { first, _ in first })
            }, name: notice.intentID)
    }
}

extension ServiceError {
    /// Whether WooCommerce undid a refund that it could not make. It reports that as an error of its own.
    fileprivate var refusesRefund: Bool { code == "woocommerce_rest_cannot_create_order_refund" }
}

/// The state of an order's refunds with regard to a refund at the till.
enum RefundVerdict: Hashable, Sendable {
    /// The store has it, under this ID.
    case there(Int64)
    /// The store has another refund in its place: it needs review.
    case conflict(String)
    /// The order accepts no refund.
    case closed(String)
    /// The store does not have it, and the order awaits it.
    case missing
    /// The store made it, and does not have it any more: it needs review, because it is never sent again.
    case vanished(String)

    init(_ order: Networking.Order, _ refunds: [Networking.Refund], of notice: OrderRefundNotification) {
        do throws(MoneyError) {
            self = try Self.verdict(order, refunds, notice)
        } catch {
            self = .conflict("the refunds of order \(order.id) cannot be compared: \(error)")
        }
    }

    /// `made`: the refund that the store made at the request of the till, whatever it is called by now.
    init(_ made: Networking.Refund, of notice: OrderRefundNotification, in order: Networking.Order) {
        do throws(MoneyError) {
            self = Self.verdict(try made.amount(in: try Currency(code: order.currency)), made, notice)
        } catch {
            self = .conflict("refund \(made.id) of order \(order.id) cannot be compared: \(error)")
        }
    }

    private static func verdict(
        _ amount: Money, _ refund: Networking.Refund, _ notice: OrderRefundNotification
    ) -> RefundVerdict {
        amount == notice.amount
            ? .there(refund.id)
            : .conflict("refund \(refund.id) of the store is \(amount), \(notice.amount) was given back")
    }

    private static func verdict(
        _ order: Networking.Order, _ refunds: [Networking.Refund], _ notice: OrderRefundNotification
    ) throws(MoneyError) -> RefundVerdict {
        let currency = try Currency(code: order.currency)
        // A store may lose the name. The ID is that of its own answer.
        let named = refunds.filter { $0.isNamed(notice.intentID) || $0.id == notice.refundID }
        if let refund = named.first {
            guard named.count == 1 else {
                return .conflict("order \(order.id) has the refund \(notice.intentID) \(named.count) times")
            }
            return verdict(try refund.amount(in: currency), refund, notice)
        }
        guard order.status != .custom("trash") else { return .closed("order \(order.id) is in the trash") }
        let total = try order.amount()
        var left = total.minorUnits
        for refund in refunds { left -= try refund.amount(in: currency).minorUnits }
        guard currency == notice.amount.currency, left >= notice.amount.minorUnits else {
            return .conflict(
                "order \(order.id) was refunded otherwise: of its \(total), less than \(notice.amount) is left")
        }
        return .missing
    }
}
