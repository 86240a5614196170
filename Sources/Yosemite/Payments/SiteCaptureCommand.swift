internal import Commands
internal import Determinism
internal import Networking
internal import Storage

/// Tells a store site that one of its orders is paid, and makes sure of it.
///
/// The order decides, not the answers: it is read before the site is told, and again afterwards, whatever the site
/// answered. That the site is about to be told is in the journal before the request leaves, and every try names the same
/// intent, so that the site can carry it out once. What is confirmed is committed with the order that shows it.
struct SiteCaptureCommand: Command {
    let payment: PaymentID
    let journal: PaymentJournal
    let site: PaymentSite?
    let time: any TimeSource

    /// Two that tell of one payment are one.
    var key: CommandKey? { CommandKey("payments.capture", "\(payment)") }

    private enum Sight {
        case order(Networking.Order, OrderVerdict)
        /// There is no such order.
        case gone(String)
        /// The site does not let it be seen.
        case hidden(NetworkError)
    }

    func execute() async throws(JournalError) -> SiteCapture {
        let capture = try journal.claimCapture(of: payment)
        let paid = try journal.payment(payment)
        guard capture.state != .confirmed, paid.state.isTaken, let intentID = capture.intentID,
            let orderID = paid.orderID, let gateway = PaymentGatewayExtension(rawValue: capture.gateway),
            let site, site.covers(capture, of: paid)
        else { return capture }
        let before = await look(at: orderID, of: paid, intentID: intentID, site)
        guard case .order(_, .unpaid) = before else { return try settle(before, of: capture) }
        do throws(JournalError) {
            try journal.markCaptureSent(of: payment, at: time.now())
        } catch {
            guard case .moneyWentBack = error else { throw error }
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
        case .order, .gone: return try settle(after, of: capture)
        }
    }

    private func look(
        at orderID: Int64, of paid: Storage.Payment, intentID: String, _ site: PaymentSite
    ) async -> Sight {
        do throws(NetworkError) {
            let order = try await site.orders.loadOrder(siteID: paid.siteID, orderID: orderID)
            return .order(order, OrderVerdict(order, payment: paid, intentID: intentID))
        } catch {
            // Only what names the order says that it is gone; any other 404 may be about something else.
            guard case .service(let service) = error, service.code?.hasSuffix("_invalid_id") == true else {
                return .hidden(error)
            }
            return .gone("the store has no order \(orderID) any more")
        }
    }

    /// What the order itself decides.
    private func settle(_ sight: Sight, of capture: SiteCapture) throws(JournalError) -> SiteCapture {
        switch sight {
        case .order(let order, let verdict):
            let (state, reason): (SiteCaptureState, String?) =
                switch verdict {
                case .paidByIt(let remark): (.confirmed, remark)
                case .conflict(let reason): (.conflict, reason)
                case .closed(let reason): (.refused, reason)
                case .unpaid: (capture.state.afterSilence, capture.lastError)
                }
            return try journal.settleCapture(
                of: payment, as: state, orderStatus: order.status.rawValue, reason: reason, at: time.now()
            ) { _ = try $0.save(order) }
        case .gone(let reason): return try note(.refused, reason, of: capture)
        case .hidden(let error): return try note(capture.state.afterSilence, "\(error)", of: capture)
        }
    }

    /// What the answer decides, when the order does not show the payment, or cannot be seen.
    private func note(
        _ answer: Result<RemotePaymentIntent, NetworkError>, orderIsSeen: Bool, of capture: SiteCapture
    ) throws(JournalError) -> SiteCapture {
        switch answer {
        case .success(let intent) where intent.status == .canceled && orderIsSeen:
            return try note(.refused, "the payment gateway has cancelled \(intent.id)", of: capture)
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
        _ state: SiteCaptureState, _ reason: String, of capture: SiteCapture
    ) throws(JournalError) -> SiteCapture {
        try journal.settleCapture(of: payment, as: state, reason: reason, at: time.now())
    }
}

extension SiteCaptureState {
    /// Where it stands after a try that certainly did nothing: a doubt from before stays one.
    fileprivate var afterSilence: SiteCaptureState { self == .sent ? .unknown : self }
}

extension ServiceError {
    /// Whether the store refused the payment, rather than the program or its user.
    fileprivate var isRefusal: Bool {
        switch kind {
        case .rejected, .notFound: true
        case .unauthorized, .invalidToken, .forbidden, .siteUnreachable, .jetpackNotConnected, .noRestRoute,
            .noStatsPermission, .statsModuleDisabled, .rateLimited, .serverFailure:
            false
        }
    }
}
