public import Determinism
internal import Synchronization

/// A WooCommerce store, and WordPress.com in front of it, without I/O: a request goes in, an answer comes out, and what
/// it did stays done.
///
/// The same configuration, clock, source of random numbers and requests give the same answers, byte for byte. Requests
/// that come at the same time are carried out one after another.
public final class StoreSite: Sendable {
    private let state: Mutex<SiteState>
    private let time: any TimeSource

    /// - Parameters:
    ///   - configuration: what the store begins with.
    ///   - time: what the site takes for now; its orders are older.
    ///   - random: what the store is made of, and what it draws its keys and numbers from. It is asked for streams
    ///     alone.
    public init(_ configuration: StoreSiteConfiguration, time: any TimeSource, random: any RandomSource) {
        self.time = time
        state = Mutex(SiteState(configuration, now: time.now(), random: random))
    }

    /// Carries out a request, unless a fault keeps it from it.
    public func answer(_ request: SiteRequest) -> SiteAnswer {
        let now = time.now()
        return state.withLock { $0.answer(request, at: now) }
    }

    /// Makes the site say that it is somewhere else. `address`: without a slash at the end.
    public func move(to address: String) { state.withLock { $0.move(to: address) } }

    /// Adds a rule after those that are in force.
    public func add(_ rule: FaultRule) { state.withLock { $0.faults.add(rule) } }

    /// Takes every rule out of force.
    public func removeFaults() { state.withLock { $0.faults.removeAll() } }

    /// The number of the site with WooCommerce, and of the one without.
    public var siteIDs: [Int64] { state.withLock { $0.stores.map(\.identity.id) } }

    /// The requests so far, oldest first; of very many, the last ones. Those that steer the simulation are not there.
    public var requests: [SeenRequest] { state.withLock { $0.seen } }

    /// The orders of the site with WooCommerce as they are now, by number.
    public var orders: [SiteOrder] {
        state.withLock { ($0.stores.first?.orders.all ?? []).map(SiteOrder.init) }.sorted { $0.id < $1.id }
    }

    /// The money that was taken, oldest first: one entry for each charge, however often it was asked for.
    public var ledger: [LedgerEntry] {
        state.withLock { $0.stores.flatMap(\.payments.charges).map(LedgerEntry.init) }
    }
}
