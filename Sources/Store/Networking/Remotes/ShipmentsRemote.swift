public import Determinism
import Text

/// Shipment trackings of the shipment tracking plug-in.
public struct ShipmentsRemote: Remote {
    public let sender: any RequestSender

    /// Sends its requests with the credentials that `sender` adds.
    public init(_ sender: any RequestSender) { self.sender = sender }

    /// Loads the shipments of an order.
    public func loadTrackings(
        siteID: Int64, orderID: Int64
    ) async throws(NetworkError) -> ElementList<ShipmentTracking> {
        try await list(
            Self.request(siteID, orderID, .get, ""), context: DecodingContext(siteID: siteID, orderID: orderID))
    }

    /// Loads the carriers that the store knows, by country. They are the same for all orders.
    public func loadProviders(
        siteID: Int64, orderID: Int64
    ) async throws(NetworkError) -> [ShipmentTrackingProviderGroup] {
        try await output(ShipmentProvidersMapper(siteID: siteID), Self.request(siteID, orderID, .get, "providers"))
    }

    /// Adds a shipment with a carrier that the store knows.
    public func createTracking(
        siteID: Int64, orderID: Int64, provider: String, trackingNumber: String, dateShipped: CivilDate
    ) async throws(NetworkError) -> ShipmentTracking {
        let parameters: Parameters = [
            "tracking_provider": .text(provider), "tracking_number": .text(trackingNumber),
            "date_shipped": .text(dateShipped.dayText),
        ]
        return try await value(
            Self.request(siteID, orderID, .post, "", parameters),
            context: DecodingContext(siteID: siteID, orderID: orderID))
    }

    /// Adds a shipment with another carrier and the address of its tracking page.
    public func createCustomTracking(
        siteID: Int64, orderID: Int64, provider: String, trackingNumber: String, trackingLink: String,
        dateShipped: CivilDate
    ) async throws(NetworkError) -> ShipmentTracking {
        let parameters: Parameters = [
            "custom_tracking_provider": .text(provider), "custom_tracking_link": .text(trackingLink),
            "tracking_number": .text(trackingNumber), "date_shipped": .text(dateShipped.dayText),
        ]
        return try await value(
            Self.request(siteID, orderID, .post, "", parameters),
            context: DecodingContext(siteID: siteID, orderID: orderID))
    }

    /// - Returns: The deleted tracking.
    public func deleteTracking(
        siteID: Int64, orderID: Int64, trackingID: String
    ) async throws(NetworkError) -> ShipmentTracking {
        try await value(
            Self.request(siteID, orderID, .delete, PercentEncoding.encode(trackingID)),
            context: DecodingContext(siteID: siteID, orderID: orderID))
    }

    private static func request(
        _ siteID: Int64, _ orderID: Int64, _ method: HTTPMethod, _ path: String, _ parameters: Parameters = [:]
    ) -> JetpackRequest {
        JetpackRequest(
            siteID: siteID, namespace: WooNamespace.v2, method, "orders/\(orderID)/shipment-trackings/\(path)",
            parameters: parameters)
    }
}

/// Decodes carriers, nested as country, name and address.
struct ShipmentProvidersMapper: Mapper {
    private let siteID: Int64

    init(siteID: Int64) { self.siteID = siteID }

    func map(_ content: ResponseContent) throws(DecodingFailure) -> [ShipmentTrackingProviderGroup] {
        if content.isEmptyList { return [] }
        let countries = try content.value(JSONValue.self)
        guard case .object(let groups) = countries else {
            throw DecodingFailure(.wrongType(expected: "an object", found: "something else"), at: "")
        }
        var result: [ShipmentTrackingProviderGroup] = []
        for group in groups {
            let carriers: [JSONValue.Member]
            switch group.value {
            case .object(let members): carriers = members
            case .list([]): carriers = []
            default:
                throw DecodingFailure(.wrongType(expected: "an object", found: "something else"), at: group.name)
            }
            result.append(
                ShipmentTrackingProviderGroup(
                    siteID: siteID, name: HTMLText.plain(group.name),
                    providers: carriers.map {
                        ShipmentTrackingProvider(name: HTMLText.plain($0.name), url: $0.value.textValue ?? "")
                    }))
        }
        return result
    }
}
