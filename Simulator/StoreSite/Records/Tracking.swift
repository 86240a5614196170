/// A shipment that an order was sent with.
struct Tracking: Hashable, Sendable {
    var id: String
    var provider: String
    var link: String
    var number: String
    /// `2026-01-02`
    var dateShipped: String

    func node(_ links: JSONNode) -> JSONNode {
        [
            "tracking_id": .text(id), "tracking_provider": .text(provider), "tracking_link": .text(link),
            "tracking_number": .text(number), "date_shipped": .text(dateShipped), "_links": links,
        ]
    }
}
