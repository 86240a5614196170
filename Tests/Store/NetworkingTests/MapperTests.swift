import Foundation
import Networking
import Testing

struct EnvelopeTests {
    private func success(_ text: String, _ envelope: Envelope) throws(NetworkError) -> Bool {
        try ValueMapper(SuccessResult.self).map(response: Array(text.utf8), envelope: envelope).success
    }

    @Test func `an envelope is opened where one is expected`() throws {
        #expect(try success(#"{"data":{"success":true}}"#, .data))
        #expect(try success(#"{"data":{"success":true}}"#, .either))
        #expect(try success(#"{"success":true}"#, .either))
        #expect(try !success(#"{"data":{"success":true}}"#, .none))
    }

    @Test func `content with a member data among others is not an envelope`() throws {
        let text = #"{"date":"2018-08-06","unit":"day","fields":["period","views"],"data":[["2018-08-05",3]]}"#
        let stats = try ValueMapper(SiteVisitStats.self, context: DecodingContext(siteID: 1))
            .map(response: Array(text.utf8))
        #expect(stats.items.map(\.period) == ["2018-08-05"])
        #expect(stats.items.map(\.views) == [3])
    }

    @Test(arguments: [
        (#"{"error":"unauthorized","message":"Missing Token"}"#, "unauthorized", 200),
        (#"{"code":"rest_forbidden","message":"No.","data":{"status":401}}"#, "rest_forbidden", 401),
    ])
    func `an error is not taken for an envelope`(text: String, code: String, status: Int) {
        let error = #expect(throws: NetworkError.self) { try success(text, .either) }
        guard case .service(let service)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(service.code == code)
        #expect(service.status == status)
    }

    @Test func `an empty envelope is an error`() {
        #expect(throws: NetworkError.undecodable(DecodingFailure(.missing, at: "data"))) {
            try success(#"{"data":null}"#, .either)
        }
    }
}

/// Recorded responses of real stores, if available: the environment variable `CARDPRESENT_STORE_ANSWERS` names a folder
/// of files, each named after its entity.
struct RecordedAnswersTests {
    private static let folder = ProcessInfo.processInfo.environment["CARDPRESENT_STORE_ANSWERS"]

    /// The entity with the longest name that begins the file's name.
    private static let entities: [(prefix: String, entity: String)] = [
        ("account-username-suggestions", "username-suggestions"), ("me.", "account"),
        ("me-settings", "account-settings"),
        ("sites", "sites"), ("site-plan", "site-plan"), ("wp-site-settings", "site-settings"),
        ("comment-moderate", "comment-moderation"), ("customer", "customer"),
        ("wc-analytics-customers", "analytics-customers"),
        ("device-settings", "device"), ("notifications-load-all", "notes"),
        ("notifications-load-hashes", "note-hashes"),
        ("broken-notifications", "notes"), ("generic_success_data", "success"), ("order-notes", "order-notes"),
        ("broken-notes", "order-notes"), ("new-order-note", "order-note"), ("broken-order.", "order"),
        ("broken-orders", "orders"), ("order", "order"), ("orders-load-all", "orders"),
        ("order-stats-v4", "order-stats"),
        ("order-statuses", "order-statuses"), ("report-orders", "order-statuses"),
        ("date-modified-gmt", "order-date-modified"),
        ("receipt", "receipt"), ("reports-products", "products-report"), ("setting-", "setting"),
        ("settings-", "settings"),
        ("setting-tax-based-on", "tax-based-on"), ("broken-settings", "settings"), ("site-api", "site-api"),
        ("shipment_tracking", "shipment-tracking"), ("shipment_tracking_multiple", "shipment-trackings"),
        ("shipment_tracking_single", "shipment-trackings"), ("shipment_tracking_empty", "shipment-trackings"),
        ("shipment_tracking_providers", "shipment-providers"), ("site-visits", "site-visits"),
        ("site-summary", "site-summary"), ("top-performers", "top-earners"), ("gift-card-stats", "gift-card-stats"),
        ("product-bundle-stats", "bundle-stats"), ("product-bundle-top", "products-report"), ("tax.", "tax-rate"),
        ("taxes", "tax-rates"), ("taxes-classes", "tax-classes"), ("wcpay-account", "gateway-account"),
        ("stripe-account", "gateway-account"), ("wcpay-charge", "charge"), ("wcpay-connection", "connection-token"),
        ("stripe-connection", "connection-token"), ("wcpay-location", "reader-location"),
        ("stripe-location", "reader-location"), ("wcpay-payment-intent", "payment-intent"),
        ("stripe-payment-intent", "payment-intent"),
    ]

    @Test(.enabled(if: folder != nil, "CARDPRESENT_STORE_ANSWERS names no folder"))
    func `recorded responses are decoded, and recorded errors are recognized`() throws {
        let folder = URL(filePath: try #require(Self.folder))
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".json") }
        for file in files.sorted() {
            let fitting = Self.entities.filter { file.hasPrefix($0.prefix) }.max { $0.prefix.count < $1.prefix.count }
            guard let name = fitting?.entity else { continue }
            let entity = try #require(ResponseEntity.named(name))
            let bytes = Array(try Data(contentsOf: folder.appending(path: file)))
            let mustFail = ["error", "wrong-json", "not_active", "wcadmin-deactivated"].contains { file.contains($0) }
            do throws(NetworkError) {
                let value = try entity.decode(bytes)
                #expect(!mustFail, "\(file)")
                #expect(value.rejected.isEmpty || file.contains("malformed"), "\(file): \(value.rejected)")
            } catch {
                #expect(mustFail, "\(file): \(error)")
            }
        }
    }
}
