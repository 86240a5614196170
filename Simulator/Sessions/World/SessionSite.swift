internal import Amounts
internal import Determinism
internal import Networking
internal import Simulator
internal import StoreSite
internal import Synchronization

/// The store site of the session, and the shopkeeper who is signed in to it.
final class SessionSite: Sendable {
    let site: StoreSite
    private let plan: PlannedStore
    private let time: any TimeSource
    private let random: any RandomSource
    private let prepared = Mutex<(orders: [Int64], requests: Int)>(([], 0))

    static let siteID: Int64 = 210_000_001
    private static let address = "http://store.example"
    private static let username = "shopkeeper"
    // Of a store that lives in this process, for as long as the session does.
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

    /// Who is signed in.
    var signIn: SignIn? {
        guard let address = try? WebAddress(Self.address) else { return nil }
        return SignIn(
            credentials: .applicationPassword(
                ApplicationPassword(username: Self.username, password: Secret(Self.password)), site: address),
            siteID: Self.siteID)
    }

    /// The orders that wait for their payment, in the order of the plan.
    var unpaid: [Int64] { prepared.withLock { $0.orders } }

    /// What the till asked the store, oldest first.
    var requests: [SeenRequest] { Array(site.requests.dropFirst(prepared.withLock { $0.requests })) }

    /// Makes the orders that wait for their payment, and lets the planned faults begin.
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
                throw .plan("the order of \(amount) cannot be made: \(error)")
            }
        }
        let count = site.requests.count
        prepared.withLock { $0.requests = count }
        for fault in plan.faults { site.add(fault) }
    }
}
