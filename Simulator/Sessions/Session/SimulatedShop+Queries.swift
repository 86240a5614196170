public import Simulator
public import StoreSite

extension SimulatedShop {
    /// What has happened so far, in order.
    public var events: [SessionEvent] { world.log.events }

    /// Since the shop opened, on its clock.
    public var elapsed: Duration { world.log.elapsed }

    /// The issuer's book.
    ///
    /// - Throws: ``SimulatedSessionError/plan(_:)`` when it cannot be read.
    public func issuerLedger() async throws(SimulatedSessionError) -> IssuerLedger { try await world.issuerLedger() }

    /// How many charges the issuer holds that were not taken back.
    ///
    /// - Throws: ``SimulatedSessionError/plan(_:)`` when its book cannot be read.
    public func charges() async throws(SimulatedSessionError) -> Int { try await issuerLedger().chargeCount }

    /// The numbers of the orders that the plan has as unpaid, in its order.
    public var unpaidOrders: [Int64] { world.site?.unpaid ?? [] }

    /// The store's orders as they are now, by number.
    public var orders: [SiteOrder] { world.site?.site.orders ?? [] }

    /// The money that the store took, oldest first.
    public var siteLedger: [LedgerEntry] { world.site?.site.ledger ?? [] }

    /// What the till asked the store, oldest first.
    public var siteRequests: [SeenRequest] { world.site?.requests ?? [] }

    /// What came to the printer.
    public var printouts: [SessionPrintout] { world.printServer.printouts }
}
