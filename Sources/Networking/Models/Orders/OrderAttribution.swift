/// How a customer came to the shop: what WooCommerce 8.5 and later keeps in the metadata.
public struct OrderAttribution: Codable, Hashable, Sendable {
    public let sourceType: String?
    public let campaign: String?
    public let source: String?
    public let medium: String?
    public let deviceType: String?
    public let sessionPageViews: String?

    /// Nil when nothing is kept.
    init?(_ metaData: [MetaData]) {
        func value(_ name: String) -> String? {
            metaData.first { $0.key == "_wc_order_attribution_\(name)" }?.value?.textValue
        }
        (sourceType, campaign, source) = (value("source_type"), value("utm_campaign"), value("utm_source"))
        (medium, deviceType) = (value("utm_medium"), value("device_type"))
        sessionPageViews = value("session_pages")
        guard [sourceType, campaign, source, medium, deviceType, sessionPageViews].contains(where: { $0 != nil }) else {
            return nil
        }
    }
}
