/// An answer, and how whoever carries it must deliver it.
public struct SiteAnswer: Sendable {
    public var response: SiteResponse
    /// How long to wait before the first byte.
    public var delay: Duration
    public var delivery: Delivery
    /// What a log may show of the request: it holds no credentials and no parameters.
    public var seen: SeenRequest

    init(_ response: SiteResponse, delay: Duration = .zero, delivery: Delivery = .whole, seen: SeenRequest) {
        (self.response, self.delay, self.delivery, self.seen) = (response, delay, delivery, seen)
    }
}
