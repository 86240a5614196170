import Determinism
import Networking
import TestDoubles
import Testing

@testable import Yosemite

/// Parcels and carriers.
struct ShipmentStoreTests {
    private let session: SiteStoresBench
    private let day = CivilDate(year: 2026, month: 6, day: 18)

    init() throws { session = try SiteStoresBench() }

    private static func json(_ id: String, _ number: String = "N", _ provider: String = "DHL") -> String {
        """
        {"tracking_id":"\(id)","tracking_provider":"\(provider)","tracking_link":"https://l.example/\(number)",
         "tracking_number":"\(number)","date_shipped":"2026-06-18"}
        """
    }

    private func parcels() throws -> [String] {
        try session.kept(ShipmentTracking.self).map { "\($0.siteID) \($0.orderID) \($0.trackingID)" }
    }

    private func keep(_ id: String, order: Int64, site: Int64 = 5) throws {
        try session.keep([
            ShipmentTracking(
                siteID: site, orderID: order, trackingID: id, trackingNumber: "N", trackingProvider: nil,
                trackingLink: nil, dateShipped: nil)
        ])
    }

    private func groups() throws -> [String] {
        try session.kept(ShipmentTrackingProviderGroup.self).map { group in
            "\(group.siteID) \(group.name): " + group.providers.map { "\($0.name) \($0.url)" }.joined(separator: ", ")
        }
    }

    @Test func `the fetched shipments of an order replace only those of that order`() async throws {
        try keep("gone", order: 7)
        try keep("other", order: 8)
        try keep("gone", order: 7, site: 6)
        session.network.simulate("orders/7/shipment-trackings", json: "[\(Self.json("a")),\(Self.json("b"))]")
        let list: ElementList<ShipmentTracking> = try await session.value {
            ShipmentAction.synchronizeShipmentTrackingData(siteID: 5, orderID: 7, onCompletion: $0)
        }
        #expect(list.elements.map(\.trackingID) == ["a", "b"])
        #expect(try parcels() == ["5 7 a", "5 7 b", "5 8 other", "6 7 gone"])
    }

    @Test func `shipments stay when they cannot be fetched or decoded completely`() async throws {
        try keep("a", order: 7)
        session.refuse("orders/7/shipment-trackings")
        #expect(
            await session.failure(ElementList<ShipmentTracking>.self) {
                ShipmentAction.synchronizeShipmentTrackingData(siteID: 5, orderID: 7, onCompletion: $0)
            } != nil)
        session.network.removeAllAnswers()
        session.network.simulate("orders/7/shipment-trackings", json: #"[{"tracking_id":"b","date_shipped":"soon"}]"#)
        let list: ElementList<ShipmentTracking> = try await session.value {
            ShipmentAction.synchronizeShipmentTrackingData(siteID: 5, orderID: 7, onCompletion: $0)
        }
        #expect(list.rejected.map(\.path) == ["[0].date_shipped"])
        #expect(try parcels() == ["5 7 a"])
    }

    @Test func `a shipment that is added twice exists once`() async throws {
        session.network.simulate("orders/7/shipment-trackings", json: Self.json("a"), status: 201)
        for _ in 1...2 {
            let tracking: ShipmentTracking = try await session.value {
                ShipmentAction.addTracking(
                    siteID: 5, orderID: 7, provider: "DHL", trackingNumber: "N", dateShipped: day, onCompletion: $0)
            }
            #expect(tracking.dateShipped == day)
        }
        #expect(try parcels() == ["5 7 a"])
        #expect(
            session.bodies.last
                == #"{"tracking_provider":"DHL","tracking_number":"N","date_shipped":"2026-06-18"}"#)
        #expect(try groups() == [])
    }

    @Test func `a custom carrier is stored in addition to those of the site`() async throws {
        session.network.simulate(
            "shipment-trackings/providers", json: #"{"Austria":{"post.at":"https://a"},"Gone":{"x":"y"}}"#)
        session.network.simulate(
            "shipment-trackings/providers", json: #"{"Austria":{"post.at":"https://b","DPD":"c"}}"#)
        session.network.simulate("orders/7/shipment-trackings", json: Self.json("a", "1", "Bike"), status: 201)
        session.network.simulate("orders/7/shipment-trackings", json: Self.json("b", "2", "Boat"), status: 201)
        session.network.simulate("orders/7/shipment-trackings", json: Self.json("c", "3", "Bike"), status: 201)
        let _: [ShipmentTrackingProviderGroup] = try await session.value {
            ShipmentAction.synchronizeShipmentTrackingProviders(siteID: 5, orderID: 7, onCompletion: $0)
        }
        for (carrier, number, link) in [("Bike", "1", "https://b.example"), ("Boat", "2", "x"), ("Bike", "3", "y")] {
            let _: ShipmentTracking = try await session.value {
                ShipmentAction.addCustomTracking(
                    siteID: 5, orderID: 7, provider: carrier, trackingNumber: number, trackingLink: link,
                    dateShipped: day, onCompletion: $0)
            }
        }
        #expect(
            session.bodies[1]
                == #"{"custom_tracking_provider":"Bike","custom_tracking_link":"https://b.example","tracking_number":"1","date_shipped":"2026-06-18"}"#
        )
        #expect(try parcels() == ["5 7 a", "5 7 b", "5 7 c"])
        #expect(
            try groups() == ["5 Austria: post.at https://a", "5 Custom: Boat x, Bike y", "5 Gone: x y"])
        let _: [ShipmentTrackingProviderGroup] = try await session.value {
            ShipmentAction.synchronizeShipmentTrackingProviders(siteID: 5, orderID: 8, onCompletion: $0)
        }
        #expect(try groups() == ["5 Austria: post.at https://b, DPD c", "5 Custom: Boat x, Bike y"])
    }

    @Test func `a rejected shipment is not stored`() async throws {
        session.refuse("orders/7/shipment-trackings", status: 400, code: "rest_missing_param", message: "Missing.")
        #expect(
            await session.failure(ShipmentTracking.self) {
                ShipmentAction.addCustomTracking(
                    siteID: 5, orderID: 7, provider: "Bike", trackingNumber: "1", trackingLink: "x", dateShipped: day,
                    onCompletion: $0)
            } == .network(.service(ServiceError(status: 400, code: "rest_missing_param", message: "Missing."))))
        #expect(try parcels() == [])
        #expect(try groups() == [])
    }

    @Test func `a shipment is deleted here after the site has deleted it`() async throws {
        try keep("a", order: 7)
        try keep("a", order: 8)
        try keep("b", order: 7)
        session.network.simulate("orders/7/shipment-trackings/a", json: Self.json("a"))
        session.refuse("orders/7/shipment-trackings/b")
        let _: ShipmentTracking = try await session.value {
            ShipmentAction.deleteTracking(siteID: 5, orderID: 7, trackingID: "a", onCompletion: $0)
        }
        #expect(session.network.requests.last?.method == .delete)
        #expect(
            await session.failure(ShipmentTracking.self) {
                ShipmentAction.deleteTracking(siteID: 5, orderID: 7, trackingID: "b", onCompletion: $0)
            } != nil)
        #expect(try parcels() == ["5 7 b", "5 8 a"])
    }

    @Test func `the name of a shipment cannot change the path of a request`() async throws {
        let session = try SiteStoresBench(.dotcom)
        _ = await session.failure(ShipmentTracking.self) {
            ShipmentAction.deleteTracking(siteID: 5, orderID: 7, trackingID: "../9&_method=post", onCompletion: $0)
        }
        #expect(session.queries.last?.contains("shipment-trackings/..%2F9%26_method%3Dpost&_method=delete") == true)
    }
}
