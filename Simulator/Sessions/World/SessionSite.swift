import Determinism
import Money
import Networking
import Simulator
import StoreSite
import Synchronization

/// The session's store site and the till's sign-in to it.
final class SessionSite: Sendable {
    let site: StoreSite
    private let plan: PlannedStore
    private let time: any TimeSource
    private let random: any RandomSource
    private let prepared = Mutex<(orders: [Int64], requests: Int)>(([], 0))

    static let siteID: Int64 = 210_000_001
    private static let address = "http://store.example"
    private static let username = "shopkeeper"
    // The password of a store that exists only in this process and session.
    private static let password = "simulated shopkeeper"

    init(_ plan: PlannedStore, time: any TimeSource, random: any RandomSource) {
        (self.plan, self.time, self.random) = (plan, time, random)
        site = StoreSite(
            StoreSiteConfiguration(
                address: Self.address, orders: plan.orders, username: Self.username,
                password: SitePassword(Self.password), token: SitePassword(Self.password), siteID: Self.siteID,
                hasStripe: plan.hasStripe),
            time: time, random: random.stream("store"))
    }

    /// The sign-in.
    var signIn: SignIn? {
        guard let address = try? WebAddress(Self.address) else { return nil }
        return SignIn(
            credentials: .applicationPassword(
                ApplicationPassword(username: Self.username, password: Secret(Self.password)), site: address),
            siteID: Self.siteID)
    }

    /// The unpaid orders, in the order of the plan.
    var unpaid: [Int64] { prepared.withLock { $0.orders } }

    /// The till's requests to the store, oldest first.
    var requests: [SeenRequest] { Array(site.requests.dropFirst(prepared.withLock { $0.requests })) }

    /// Creates the unpaid orders, then enables the planned faults.
    func prepare() async throws(SimulatedSessionError) {
        guard let signIn else { return }
        let client = SiteClient(
            network: ProcessNetwork(site: site, time: time, life: nil), credentials: signIn.credentials,
            retries: .never, time: time, random: random.stream("prepare"), dotcom: signIn.dotcom)
        for amount in plan.unpaid {
            guard let total = ExactDecimal(amount.decimalText) else { continue }
            var changes = OrderChanges()
            changes.status = .pending
            changes.fees = [OrderChanges.Fee(name: "Goods", total: total, isTaxed: false)]
            do throws(NetworkError) {
                let order = try await OrdersRemote(client).createOrder(siteID: Self.siteID, changes)
                prepared.withLock { $0.orders.append(order.id) }
            } catch {
                throw .plan("cannot create the order of \(amount): \(error)")
            }
        }
        let count = site.requests.count
        prepared.withLock { $0.requests = count }
        for fault in plan.faults { site.add(fault) }
    }
}
