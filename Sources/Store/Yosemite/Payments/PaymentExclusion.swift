import Networking
import Payments
import Storage
import Synchronization

/// Runs one operation that moves money at a time. A second one is rejected instead of waiting for a cardholder.
final class PaymentExclusion: Sendable {
    enum Kind: Hashable, Sendable { case payment, refund, preauthorization, recovery }

    private struct Running {
        let kind: Kind
        let task: Task<Void, Never>
    }

    private let running = Mutex<Running?>(nil)

    /// Runs `operation` alone, because recovery would treat a running attempt as interrupted.
    ///
    /// - Parameters:
    ///   - kind: The kind of the operation, for ``cancel(_:)``.
    ///   - operation: Called once, unless another operation is running.
    ///   - onEnd: Called once, after the operation has ended; at once with ``CardPresentPaymentsError/busy`` when
    ///     another operation is running.
    func run<Value: Sendable>(
        _ kind: Kind, _ operation: @escaping @Sendable () async throws(CardPresentPaymentsError) -> Value,
        onEnd: @escaping @Sendable (Result<Value, CardPresentPaymentsError>) -> Void
    ) {
        let isFree = running.withLock { running in
            guard running == nil else { return false }
            // Created under the lock, so that a following cancellation finds it.
            let task = Task {
                let result: Result<Value, CardPresentPaymentsError>
                do throws(CardPresentPaymentsError) {
                    result = .success(try await operation())
                } catch {
                    result = .failure(error)
                }
                self.running.withLock { $0 = nil }
                onEnd(result)
            }
            running = Running(kind: kind, task: task)
            return true
        }
        if !isFree { onEnd(.failure(.busy)) }
    }

    /// Cancels the running operation, if it is of this kind.
    ///
    /// - Returns: The task of the operation; nil when none of this kind is running.
    func cancel(_ kind: Kind) -> Task<Void, Never>? {
        let running = running.withLock { $0 }
        guard let running, running.kind == kind else { return nil }
        running.task.cancel()
        return running.task
    }

    /// Cancels a running payment, and waits until every operation has ended.
    func clear() async {
        let running = running.withLock { $0 }
        if running?.kind == .payment { running?.task.cancel() }
        await running?.task.value
    }
}

/// The store site that the user is signed in to, for payments of its orders.
public struct PaymentSite: Sendable {
    let context: StoreContext
    public let siteID: Int64
    /// The site's address; for a WordPress.com site, the address of WordPress.com and the site's number. The journal
    /// stores it with a payment, so that no other site is notified.
    public let address: String
    /// The store's name, for receipts.
    public let name: String?

    /// Names the site that `context` sends requests to. The journal stores `address` with each payment for it.
    public init(context: StoreContext, siteID: Int64, address: String, name: String? = nil) {
        (self.context, self.siteID, self.address, self.name) = (context, siteID, address, name)
    }

    /// The store that is selected in a session; nil when there is none.
    public init?(_ session: SiteSession) {
        let signIn = session.signIn
        guard let siteID = signIn.siteID else { return nil }
        self.init(
            context: session.context, siteID: siteID,
            address: signIn.credentials.directSite?.withoutQuery ?? "\(signIn.dotcom.withoutQuery)#\(siteID)",
            name: session.site?.name)
    }

    /// Whether a payment is for an order of this site: another site may have an order with the same number.
    func covers(_ capture: OrderPaymentNotification, of payment: Payment) -> Bool {
        siteID == payment.siteID && address == capture.siteAddress
    }

    var orders: OrdersRemote { OrdersRemote(context.sender) }

    var refunds: RefundsRemote { RefundsRemote(context.sender) }

    func remote(_ gateway: PaymentGatewayExtension) -> any CardPresentRemote {
        switch gateway {
        case .wcpay: WCPayRemote(context.sender)
        case .stripe: StripeRemote(context.sender)
        }
    }
}
