public import Text

/// A type of response, by name: for inspecting recorded responses without a store.
public struct ResponseEntity: Sendable {
    /// A decoded response.
    public struct Value: Sendable {
        public let value: any Sendable
        /// The list elements that could not be decoded.
        public let rejected: [DecodingFailure]
    }

    /// For example `order`, `orders`.
    public let name: String
    private let read: @Sendable ([UInt8]) throws(NetworkError) -> Value

    /// Decodes a document, with or without an envelope.
    ///
    /// - Throws: ``NetworkError``
    public func decode(_ bytes: [UInt8]) throws(NetworkError) -> Value { try read(bytes) }

    /// Returns the entity with this name; nil for an unknown name.
    public static func named(_ name: String) -> ResponseEntity? { all.first { $0.name == name } }

    private static func one<Output>(_ name: String, _ mapper: some Mapper<Output>) -> ResponseEntity {
        ResponseEntity(name: name) { bytes throws(NetworkError) in
            Value(value: try mapper.map(response: bytes), rejected: [])
        }
    }

    private static func one<Model: Decodable & Sendable>(_ name: String, _ type: Model.Type) -> ResponseEntity {
        one(name, ValueMapper(type, context: context))
    }

    private static func many<Model: Decodable & Sendable>(
        _ name: String, _ type: Model.Type, in member: String? = nil
    ) -> ResponseEntity {
        ResponseEntity(name: name) { bytes throws(NetworkError) in
            let list = try ListMapper(type, in: member, context: context).map(response: bytes)
            return Value(value: list.elements, rejected: list.rejected)
        }
    }

    /// Placeholders: a recorded response does not contain the user, the site or the order of its request.
    private static let context = DecodingContext(["userID": 0, "siteID": 0, "orderID": 0])

    public static let all: [ResponseEntity] = [
        one("account", Account.self), one("account-settings", AccountSettings.self),
        many("sites", Site.self, in: "sites"), one("site-plan", SiteWithPlan.self),
        one("site-settings", WordPressSiteSettings.self), one("username-suggestions", UsernameSuggestions.self),
        one("comment-moderation", CommentModeration.self), one("comment-reply", CommentReply.self),
        one("gateway-account", GatewayAccountMapper(siteID: 0, gatewayID: "")),
        one("connection-token", ReaderConnectionToken.self),
        one("reader-location", ReaderLocation.self), one("payment-intent", RemotePaymentIntent.self),
        one("charge", WCPayCharge.self),
        one("customer", Customer.self), many("customers", Customer.self),
        many("analytics-customers", WCAnalyticsCustomer.self),
        many("notes", Note.self, in: "notes"), many("note-hashes", NoteHash.self, in: "notes"),
        one("device", DotcomDevice.self), one("success", SuccessResult.self),
        one("order", Order.self), many("orders", Order.self), one("order-date-modified", OrderDateModified.self),
        one("order-note", OrderNote.self), many("order-notes", OrderNote.self),
        one("refund", Refund.self), many("refunds", Refund.self),
        many("order-statuses", OrderStatus.self), one("receipt", BackendReceipt.self),
        one("setting", SiteSetting.self), many("settings", SiteSetting.self), one("tax-based-on", TaxBasedOnMapper()),
        one("site-api", SiteAPI.self),
        one("order-stats", OrderStatsV4.self), one("bundle-stats", ProductBundleStats.self),
        one("gift-card-stats", GiftCardStats.self), many("products-report", ProductsReportItem.self),
        one("site-visits", SiteVisitStats.self), one("site-summary", SiteSummaryStats.self),
        one("top-earners", TopEarnerStats.self), one("retired-order-stats", OrderStats.self),
        one("shipment-tracking", ShipmentTracking.self), many("shipment-trackings", ShipmentTracking.self),
        one("shipment-providers", ShipmentProvidersMapper(siteID: 0)),
        one("tax-rate", TaxRate.self), many("tax-rates", TaxRate.self), many("tax-classes", TaxClass.self),
    ]
}

extension ResponseEntity.Value {
    /// Returns the decoded value as JSON, with masked secrets.
    ///
    /// - Throws: The errors of encoding the value.
    public func json() throws -> JSONValue {
        // A missing value, such as the account of a gateway that is not set up.
        guard let value = value as? any Encodable else { return .null }
        return try JSONValue(encoding: value)
    }
}
