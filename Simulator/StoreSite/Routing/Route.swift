/// A route of a site's REST interface, and what answers it.
struct Route: Sendable {
    typealias Handler = @Sendable (inout Store, Call) throws(SiteError) -> Reply

    let method: String
    /// The parts between the slashes; nil is open.
    private let parts: [Substring?]
    /// Whether it is there without WooCommerce.
    let isWordPress: Bool
    /// Whether the Stripe extension brings it.
    let isOfStripe: Bool
    let answer: Handler

    /// `pattern`: `/wc/v3/orders/*/notes`
    init(_ method: String, _ pattern: String, isWordPress: Bool = false, _ answer: @escaping Handler) {
        (self.method, self.isWordPress, self.answer) = (method, isWordPress, answer)
        isOfStripe = pattern.hasPrefix("/wc/v3/wc_stripe/")
        parts = pattern.split(separator: "/", omittingEmptySubsequences: true).map { $0 == "*" ? nil : $0 }
    }

    /// What stands in the open places, when the path fits.
    func captures(_ path: [Substring]) -> [String]? {
        guard path.count == parts.count else { return nil }
        var captured: [String] = []
        for (part, given) in zip(parts, path) {
            if let part {
                guard part == given else { return nil }
            } else {
                captured.append(String(given))
            }
        }
        return captured
    }

    /// The same for a way to change something: POST, PUT and PATCH mean one thing to WordPress.
    static func changes(_ pattern: String, isWordPress: Bool = false, _ answer: @escaping Handler) -> [Route] {
        ["POST", "PUT", "PATCH"].map { Route($0, pattern, isWordPress: isWordPress, answer) }
    }
}
