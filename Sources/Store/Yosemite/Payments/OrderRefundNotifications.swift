internal import Concurrency
internal import Determinism
internal import Money
internal import Networking
internal import Payments
internal import Storage

/// Tells a store site that money of one of its orders went back to the card, and verifies the result.
///
/// The order's refunds decide, not the answers: they are read before the notification, and again afterward. The journal
/// records the notification before the request is sent, and every try contains the same name, by which the refund is
/// recognized. WooCommerce has no idempotency keys, so a request is sent only while no refund has the name.
struct OrderRefundNotificationCommand: Command {
    /// The attempt of the refund.
    let refund: Int64
    let journal: PaymentJournal
    let site: PaymentSite?
    let time: any TimeSource

    /// Notifications of the same refund are combined.
    var key: CommandKey? { CommandKey("payments.refund", String(refund)) }

    private enum Sight {
        case order(Networking.Order, [Networking.Refund], RefundVerdict)
        /// The order does not exist.
        case gone(String)
        /// The order and its refunds could not be read, and why.
        case hidden(String)
    }

    func execute() async throws(JournalError) -> OrderRefundNotification {
        let notice = try journal.claimRefundNotification(refund)
        let payment = try journal.paymentWithNotification(notice.paymentID)
        guard notice.state != .planned, notice.state != .confirmed, let orderID = payment.orderID,
            let capture = payment.notification, let site, site.covers(capture, of: payment)
        else { return notice }
        let before = await look(at: orderID, notice, site)
        guard case .order(_, _, .missing) = before else { return try resolve(before, notice) }
        try journal.markRefundNotificationSent(refund, at: time.now())
        let draft = RefundDraft(
            amount: ExactDecimal(
                coefficient: Int128(notice.amount.minorUnits), scale: notice.amount.currency.exponent),
            reason: "Refund at the till: \(payment.name) (\(notice.intentID))", name: notice.intentID)
        let answer: Result<Networking.Refund, NetworkError>
        do throws(NetworkError) {
            answer = .success(
                try await site.refunds.createRefund(siteID: payment.siteID, orderID: orderID, draft))
        } catch {
            answer = .failure(error)
        }
        let after = await look(at: orderID, notice, site)
        switch after {
        case .order(_, _, .missing): return try note(answer, isSeen: true, notice)
        case .hidden: return try note(answer, isSeen: false, notice)
        case .order, .gone: return try resolve(after, notice)
        }
    }

    private func look(at orderID: Int64, _ notice: OrderRefundNotification, _ site: PaymentSite) async -> Sight {
        do throws(NetworkError) {
            let order = try await site.orders.loadOrder(siteID: site.siteID, orderID: orderID)
            var refunds: [Networking.Refund] = []
            var wanted: PageRequest? = order.refunds.isEmpty ? nil : PageRequest(size: PageRequest.largest)
            while let request = wanted {
                let page = try await site.refunds.loadRefunds(
                    siteID: site.siteID, orderID: orderID, page: request)
                // A refund that cannot be read may be ours.
                if let failure = page.list.rejected.first {
                    return .hidden("a refund of order \(orderID) cannot be read: \(failure)")
                }
                refunds += page.elements
                wanted = page.hasNext && !page.elements.isEmpty ? request.next : nil
            }
            return .order(order, refunds, RefundVerdict(order, refunds, of: notice))
        } catch {
            // Only an error about the order ID means that the order is gone; any other 404 may have another cause.
            guard case .service(let service) = error, service.code?.hasSuffix("_invalid_id") == true else {
                return .hidden("\(error)")
            }
            return .gone("the store has no order \(orderID) any more")
        }
    }

    /// Determines the result from the order and its refunds.
    private func resolve(_ sight: Sight, _ notice: OrderRefundNotification) throws(JournalError)
        -> OrderRefundNotification
    {
        switch sight {
        case .order(let order, let refunds, let verdict):
            let (state, refundID, reason): (OrderPaymentNotification.State, Int64?, String?) =
                switch verdict {
                case .there(let id): (.confirmed, id, nil)
                case .conflict(let reason): (.conflict, nil, reason)
                case .closed(let reason): (.refused, nil, reason)
                case .missing: (notice.state.afterSilence, nil, notice.lastError)
                }
            return try journal.recordRefundNotification(
                refund, as: state, refundID: refundID, reason: reason, at: time.now()
            ) { storage in
                try storage.save(order)
                try storage.keep(refunds, of: order)
            }
        case .gone(let reason): return try note(.refused, reason)
        case .hidden(let reason): return try note(notice.state.afterSilence, reason)
        }
    }

    /// Determines the result from the answer, when the order's refunds do not show the refund or cannot be read.
    private func note(
        _ answer: Result<Networking.Refund, NetworkError>, isSeen: Bool, _ notice: OrderRefundNotification
    ) throws(JournalError) -> OrderRefundNotification {
        switch answer {
        case .success(let refund):
            return try note(
                .unknown, "the store answered with refund \(refund.id), and its order does not show it yet")
        case .failure(.service(let error)) where isSeen && (error.isRefusal || error.refusesRefund):
            return try note(.refused, "\(error)")
        case .failure(let error) where error.mayHaveTakenEffect: return try note(.unknown, "\(error)")
        case .failure(let error): return try note(notice.state.afterSilence, "\(error)")
        }
    }

    private func note(
        _ state: OrderPaymentNotification.State, _ reason: String
    ) throws(JournalError) -> OrderRefundNotification {
        try journal.recordRefundNotification(refund, as: state, reason: reason, at: time.now())
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

    init(_ order: Networking.Order, _ refunds: [Networking.Refund], of notice: OrderRefundNotification) {
        do throws(MoneyError) {
            self = try Self.verdict(order, refunds, notice)
        } catch {
            self = .conflict("the refunds of order \(order.id) cannot be compared: \(error)")
        }
    }

    private static func verdict(
        _ order: Networking.Order, _ refunds: [Networking.Refund], _ notice: OrderRefundNotification
    ) throws(MoneyError) -> RefundVerdict {
        let currency = try Currency(code: order.currency)
        let named = refunds.filter { $0.isNamed(notice.intentID) }
        if let refund = named.first {
            guard named.count == 1 else {
                return .conflict("order \(order.id) has the refund \(notice.intentID) \(named.count) times")
            }
            let amount = try refund.amount(in: currency)
            return amount == notice.amount
                ? .there(refund.id)
                : .conflict("refund \(refund.id) of the store is \(amount), \(notice.amount) was given back")
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

extension StorageType {
    /// Stores all refunds of an order, and deletes the stored ones that the store no longer has.
    func keep(_ refunds: [Networking.Refund], of order: Networking.Order) throws {
        let (siteID, orderID, refundIDs) = (order.siteID, order.id, refunds.map(\.id))
        try delete(Networking.Refund.self) {
            $0.siteID == siteID && $0.orderID == orderID && !$0.id.isIn(refundIDs)
        }
        try save(refunds)
    }
}
