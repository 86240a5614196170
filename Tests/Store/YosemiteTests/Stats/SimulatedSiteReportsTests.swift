import Determinism
import Money
import Networking
import StoreSite
import Testing
import Text

@testable import Yosemite

/// Settings, taxes, parcels, comments, notifications and statistics, as the simulated site has them.
struct SimulatedSiteReportsTests {
    private static let siteID = StoreSiteNetwork.siteID

    private struct Signed {
        let network: StoreSiteNetwork
        let session: SiteStoresBench
    }

    private func sign(_ account: SiteStoresBench.Account) throws -> Signed {
        let network = StoreSiteNetwork(orders: 60, time: VirtualTimeSource(start: SiteStoresBench.evening))
        let credentials =
            switch account {
            case .site: try StoreSiteNetwork.applicationPassword
            case .dotcom: StoreSiteNetwork.dotcom
            }
        return Signed(network: network, session: try SiteStoresBench(sender: network.client(credentials)))
    }

    private func sum(_ amounts: [ExactDecimal]) -> ExactDecimal {
        amounts.reduce(.zero) { sum, amount in
            let scale = max(sum.scale, amount.scale)
            func digits(_ number: ExactDecimal) -> Int128 {
                (number.scale..<scale).reduce(number.coefficient) { digits, _ in digits * 10 }
            }
            return ExactDecimal(coefficient: digits(sum) + digits(amount), scale: scale)
        }
    }

    @Test(arguments: [SiteStoresBench.Account.site, .dotcom])
    func `settings are fetched, switched, and fetched again`(account: SiteStoresBench.Account) async throws {
        let session = try sign(account).session
        let general: ElementList<SiteSetting> = try await session.value {
            SettingAction.synchronizeGeneralSiteSettings(siteID: Self.siteID, onCompletion: $0)
        }
        let products: ElementList<SiteSetting> = try await session.value {
            SettingAction.synchronizeProductSiteSettings(siteID: Self.siteID, onCompletion: $0)
        }
        #expect(general.rejected + products.rejected == [])
        #expect(general.elements.contains { $0.id == "woocommerce_currency" && $0.text.utf8.count == 3 })
        for isEnabled in [false, true] {
            let answered: Bool = try await session.value {
                SettingAction.enableCouponSetting(siteID: Self.siteID, isEnabled: isEnabled, onCompletion: $0)
            }
            let asked: Bool = try await session.value {
                SettingAction.retrieveCouponSetting(siteID: Self.siteID, onCompletion: $0)
            }
            #expect([answered, asked] == [isEnabled, isEnabled])
        }
        #expect(try session.kept(SiteSetting.self).count == general.elements.count + products.elements.count)
        let base: TaxBasedOn = try await session.value {
            SettingAction.retrieveTaxBasedOnSetting(siteID: Self.siteID, onCompletion: $0)
        }
        #expect(TaxBasedOn.allCases.contains(base))
    }

    @Test(arguments: [SiteStoresBench.Account.site, .dotcom])
    func `the classes of tax rates are known tax classes`(account: SiteStoresBench.Account) async throws {
        let session = try sign(account).session
        let classes: ElementList<TaxClass> = try await session.value {
            TaxClassesAction.retrieveTaxClasses(siteID: Self.siteID, onCompletion: $0)
        }
        let rates: Page<TaxRate> = try await session.value {
            TaxClassesAction.retrieveTaxRates(siteID: Self.siteID, page: PageRequest(size: 100), onCompletion: $0)
        }
        #expect(!rates.elements.isEmpty && rates.list.rejected.isEmpty)
        #expect(Set(rates.elements.map(\.class)).subtracting(classes.elements.map(\.slug)) == [])
    }

    @Test(arguments: [SiteStoresBench.Account.site, .dotcom])
    func `a shipment is added, listed, and deleted`(account: SiteStoresBench.Account) async throws {
        let (session, orderID) = (try sign(account).session, try await order(try sign(account)))
        let day = CivilDate(year: 2026, month: 6, day: 18)
        let added: ShipmentTracking = try await session.value {
            ShipmentAction.addCustomTracking(
                siteID: Self.siteID, orderID: orderID, provider: "Bike", trackingNumber: "B 1",
                trackingLink: "https://bike.example/1", dateShipped: day, onCompletion: $0)
        }
        let list: ElementList<ShipmentTracking> = try await session.value {
            ShipmentAction.synchronizeShipmentTrackingData(siteID: Self.siteID, orderID: orderID, onCompletion: $0)
        }
        #expect(list.elements.contains { $0.trackingID == added.trackingID && $0.dateShipped == day })
        let _: ShipmentTracking = try await session.value {
            ShipmentAction.deleteTracking(
                siteID: Self.siteID, orderID: orderID, trackingID: added.trackingID, onCompletion: $0)
        }
        #expect(try !session.kept(ShipmentTracking.self).contains { $0.trackingID == added.trackingID })
    }

    /// The same seed gives the same orders.
    private func order(_ signed: Signed) async throws -> Int64 {
        let page = try await OrdersRemote(signed.network.client(try StoreSiteNetwork.applicationPassword)).loadOrders(
            siteID: Self.siteID, page: PageRequest(size: 1))
        return try #require(page.elements.first).id
    }

    @Test(arguments: [StatsTimeRangeV4.today, .thisWeek, .thisMonth, .thisYear])
    func `the intervals of a range add up exactly to its totals`(range: StatsTimeRangeV4) async throws {
        let session = try sign(.site).session
        let stats: OrderStatsV4 = try await session.value {
            StatsActionV4.retrieveStats(siteID: Self.siteID, timeRange: range, timeZone: .utc, onCompletion: $0)
        }
        #expect(sum(stats.intervals.map(\.subtotals.totalSales)) == stats.totals.totalSales)
        #expect(stats.intervals.map(\.subtotals.ordersCount).reduce(0, +) == stats.totals.ordersCount)
        let expected = try range.report(at: SiteStoresBench.evening.civil(offsetSeconds: 0))
        #expect(stats.intervals.count <= expected.quantity)
        #expect(try session.kept(OrderStatsV4.self) == [stats])
    }

    @Test func `bestsellers are sorted and limited`() async throws {
        let session = try sign(.site).session
        let best: TopEarnerStats = try await session.value {
            StatsActionV4.retrieveTopEarnerStats(
                siteID: Self.siteID, timeRange: .thisYear, timeZone: .utc, quantity: 5, onCompletion: $0)
        }
        let sold = try best.data.map { try #require(Int($0.quantity.description)) }
        #expect(sold.count == 5)
        #expect(sold == sold.sorted(by: >))
        #expect(best.data.allSatisfy { $0.name?.isEmpty == false })
        #expect(try session.kept(TopEarnerStats.self) == [best])
    }

    @Test func `visits, their total, and the old statistics come from WordPress dot com`() async throws {
        let session = try sign(.dotcom).session
        let visits: SiteVisitStats = try await session.value {
            StatsActionV4.retrieveSiteVisitStats(
                siteID: Self.siteID, timeRange: .thisWeek, timeZone: .utc, onCompletion: $0)
        }
        #expect(visits.items.count == 7)
        let _: SiteSummaryStats = try await session.value {
            StatsActionV4.retrieveSiteSummaryStats(
                siteID: Self.siteID, timeRange: .thisWeek, timeZone: .utc, onCompletion: $0)
        }
        let orders: OrderStats = try await session.value {
            StatsAction.retrieveOrderStats(
                siteID: Self.siteID, granularity: .month, latest: CivilDate(year: 2026, month: 6, day: 18),
                quantity: 12, onCompletion: $0)
        }
        #expect(orders.items.count == 12)
        #expect(orders.items.map(\.orders).reduce(0, +) == orders.totalOrders)
        let _: Void = try await session.value { StatsAction.resetStoredStats(onCompletion: $0) }
        #expect(try session.kept(SiteVisitStats.self).isEmpty)
    }

    @Test func `notifications are fetched once, and again when they were read elsewhere`() async throws {
        let signed = try sign(.dotcom)
        let session = signed.session
        let first: ElementList<Note> = try await session.value {
            NotificationAction.synchronizeNotifications(onCompletion: $0)
        }
        let note = try #require(first.elements.first)
        let again: ElementList<Note> = try await session.value {
            NotificationAction.synchronizeNotifications(onCompletion: $0)
        }
        #expect(again.elements.isEmpty)
        // Another user marks it.
        try await NotificationsRemote(signed.network.client(StoreSiteNetwork.dotcom))
            .updateReadStatus([note.id], read: !note.read)
        let changed: ElementList<Note> = try await session.value {
            NotificationAction.synchronizeNotifications(onCompletion: $0)
        }
        #expect(changed.elements.map(\.id) == [note.id])
        #expect(try session.kept(Note.self).first { $0.id == note.id }?.read == !note.read)
    }

    @Test func `a lost response reverts the mark, and the next synchronization corrects it`() async throws {
        let signed = try sign(.dotcom)
        let session = signed.session
        let notes: ElementList<Note> = try await session.value {
            NotificationAction.synchronizeNotifications(onCompletion: $0)
        }
        let note = try #require(notes.elements.first)
        signed.network.site.add(try FaultRule("POST /rest/v1.1/notifications/read #1 lost-answer"))
        #expect(
            await session.failure(Void.self) {
                NotificationAction.updateReadStatus(noteID: note.id, read: !note.read, onCompletion: $0)
            } != nil)
        #expect(try session.kept(Note.self).first { $0.id == note.id }?.read == note.read)
        let _: ElementList<Note> = try await session.value {
            NotificationAction.synchronizeNotifications(onCompletion: $0)
        }
        #expect(try session.kept(Note.self).first { $0.id == note.id }?.read == !note.read)
    }

    @Test(arguments: ["cut", "truncate", "html", "wrong-types", "500", "charset"])
    func `errors of a site delete no stored data`(fault: String) async throws {
        let signed = try sign(.site)
        let session = signed.session
        let _: ElementList<TaxClass> = try await session.value {
            TaxClassesAction.retrieveTaxClasses(siteID: Self.siteID, onCompletion: $0)
        }
        let _: OrderStatsV4 = try await session.value {
            StatsActionV4.retrieveStats(siteID: Self.siteID, timeRange: .thisWeek, timeZone: .utc, onCompletion: $0)
        }
        let (classes, stats) = (try session.kept(TaxClass.self), try session.kept(OrderStatsV4.self))
        signed.network.site.add(try FaultRule(fault))
        _ = await session.failure(ElementList<TaxClass>.self) {
            TaxClassesAction.retrieveTaxClasses(siteID: Self.siteID, onCompletion: $0)
        }
        #expect(
            await session.failure(OrderStatsV4.self) {
                StatsActionV4.retrieveStats(
                    siteID: Self.siteID, timeRange: .thisWeek, timeZone: .utc, onCompletion: $0)
            } != nil)
        #expect(try session.kept(TaxClass.self) == classes)
        #expect(try session.kept(OrderStatsV4.self) == stats)
    }

    @Test(arguments: [SiteStoresBench.Account.site, .dotcom])
    func `a comment is moderated, restored, and replied to`(account: SiteStoresBench.Account) async throws {
        let signed = try sign(account)
        let session = signed.session
        let comments = try await signed.network.client(try StoreSiteNetwork.applicationPassword).send(
            RESTRequest(site: try WebAddress(StoreSiteNetwork.address), namespace: "wp/v2", .get, "comments"))
        guard case .list(let all) = comments.document.value,
            let commentID = all.first?["id"]?.textValue.flatMap({ Int64($0) }),
            let productID = all.first?["post"]?.textValue.flatMap({ Int64($0) })
        else {
            Issue.record("the site has no comments")
            return
        }
        let reply: CommentReply = try await session.value {
            CommentAction.replyToComment(
                siteID: Self.siteID, commentID: commentID, productID: productID, content: "Thank you!", onCompletion: $0
            )
        }
        #expect(reply.parent == commentID)
        let unapproved: CommentStatus = try await session.value {
            CommentAction.updateApprovalStatus(
                siteID: Self.siteID, commentID: commentID, isApproved: false, onCompletion: $0)
        }
        let trashed: CommentStatus = try await session.value {
            CommentAction.updateTrashStatus(
                siteID: Self.siteID, commentID: commentID, isTrash: true, onCompletion: $0)
        }
        let back: CommentStatus = try await session.value {
            CommentAction.updateTrashStatus(
                siteID: Self.siteID, commentID: commentID, isTrash: false, onCompletion: $0)
        }
        #expect([unapproved, trashed, back] == [.unapproved, .trash, .unapproved])
        let error = await session.failure(CommentStatus.self) {
            CommentAction.updateSpamStatus(siteID: Self.siteID, commentID: 999_999, isSpam: true, onCompletion: $0)
        }
        guard case .network(.service(let service)) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(service.kind == .notFound)
    }
}
