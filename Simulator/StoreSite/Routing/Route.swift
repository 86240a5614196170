import Determinism
import Text

/// A route of a site's REST API and its handler.
struct Route: Sendable {
    typealias Handler = @Sendable (inout SiteStore, Call) throws(SiteError) -> Reply

    let method: String
    /// For example `/wc/v3/orders/*/notes`; a star matches any component.
    let pattern: String
    /// Whether the route exists without WooCommerce.
    let isWordPress: Bool
    /// Whether the Stripe extension adds the route.
    let isOfStripe: Bool
    let answer: Handler

    /// Creates a route; `pattern` is, for example, `/wc/v3/orders/*/notes`.
    init(_ method: String, _ pattern: String, isWordPress: Bool = false, _ answer: @escaping Handler) {
        (self.method, self.pattern, self.isWordPress, self.answer) = (method, pattern, isWordPress, answer)
        isOfStripe = pattern.hasPrefix("/wc/v3/wc_stripe/")
    }

    /// Returns the same route at another place.
    func moved(to pattern: String) -> Route { Route(method, pattern, isWordPress: isWordPress, answer) }

    /// Returns the routes that read a list and one of its elements.
    static func reading(
        _ path: String, isWordPress: Bool = false, _ list: @escaping Handler, _ get: @escaping Handler
    ) -> [Route] {
        [
            Route("GET", path, isWordPress: isWordPress, list),
            Route("GET", path + "/*", isWordPress: isWordPress, get),
        ]
    }

    /// Returns the routes that read, create, change, and delete the elements of a list.
    static func collection(
        _ path: String, list: @escaping Handler, get: @escaping Handler, create: @escaping Handler,
        update: @escaping Handler, delete: @escaping Handler
    ) -> [Route] {
        reading(path, list, get) + [Route("POST", path, create)] + changes(path + "/*", update)
            + [Route("DELETE", path + "/*", delete)]
    }

    /// Returns the routes of a change: POST, PUT, and PATCH mean the same to WordPress.
    static func changes(_ pattern: String, isWordPress: Bool = false, _ answer: @escaping Handler) -> [Route] {
        ["POST", "PUT", "PATCH"].map { Route($0, pattern, isWordPress: isWordPress, answer) }
    }
}

/// The API through which a request arrived. Each has its own error format and envelope.
enum SiteDialect: Hashable, Sendable {
    /// The site's own REST API.
    case site
    /// WordPress.com's tunnel to the REST API.
    case tunnel
    /// WordPress.com's own endpoints.
    case dotcom
}

/// A parsed request to a site's REST API.
struct Call: Sendable {
    var method: String
    /// The route, for example `/wc/v3/orders/12`.
    var route: String
    /// The path components at the route's wildcards.
    var captured: [String] = []
    var parameters: SiteParameters
    var now: Timestamp
    var user: SiteUser

    func text(_ index: Int) -> String { captured.indices.contains(index) ? captured[index] : "" }

    /// - Throws: `refusal` if the component is not a number.
    func id(_ index: Int, or refusal: SiteError = .noRoute) throws(SiteError) -> Int64 {
        guard let id = Int64(text(index)), id >= 0 else { throw refusal }
        return id
    }

    /// Returns the index of the element whose ID is at a wildcard. `id` returns nil for elements that the route does
    /// not have.
    ///
    /// - Throws: `refusal` if there is no such element.
    func index<Element>(
        in list: [Element], at wildcard: Int = 0, or refusal: SiteError, _ id: (Element) -> Int64?
    ) throws(SiteError) -> Int {
        let wanted = try self.id(wildcard, or: refusal)
        guard let index = list.firstIndex(where: { id($0) == wanted }) else { throw refusal }
        return index
    }
}

/// An endpoint's reply before it is put into an envelope.
struct Reply: Sendable {
    enum Content: Sendable {
        case node(JSONValue)
        /// JSON with only the selected members.
        case bytes([UInt8])
    }

    var content: Content
    var status = 200
    /// The total number of elements and of pages.
    var paging: (total: Int, pages: Int)?

    /// The content as JSON; nil if it isn't.
    var node: JSONValue? {
        switch content {
        case .node(let node): node
        case .bytes(let bytes): JSONReader.node(bytes)
        }
    }

    init(_ node: JSONValue, status: Int = 200) { (content, self.status) = (.node(node), status) }

    init(bytes: [UInt8], status: Int = 200) { (content, self.status) = (.bytes(bytes), status) }

    /// Creates a reply with one page of all elements.
    init<Element>(page: PageChoice, of all: [Element], _ node: (Element) -> JSONValue) {
        self.init(.list(page.slice(all).map(node)))
        paging = page.paging(all.count)
    }
}

/// The requested page of a list.
struct PageChoice: Sendable {
    let number: Int
    let size: Int
    private let offset: Int?

    init(_ parameters: SiteParameters, size standard: Int = 10) throws(SiteError) {
        number = try parameters.integer("page", in: 1...Int(Int32.max), default: 1)
        size = try parameters.integer("per_page", in: 1...100, default: standard)
        let offset = try parameters.integer("offset", in: 0...Int(Int32.max), default: -1)
        self.offset = offset < 0 ? nil : offset
    }

    var start: Int { offset ?? (number - 1) * size }

    func slice<Element>(_ all: [Element]) -> ArraySlice<Element> {
        let start = min(start, all.count)
        return all[start..<min(all.count, start + size)]
    }

    func paging(_ total: Int) -> (total: Int, pages: Int) { (total, (total + size - 1) / size) }
}

/// An error response: WordPress's code, message, and status.
struct SiteError: Error, Hashable, Sendable {
    var status: Int
    var code: String
    var message: String
    /// The problem with each parameter.
    var parameters: [JSONValue.Member] = []

    init(_ status: Int, _ code: String, _ message: String, parameters: [JSONValue.Member] = []) {
        (self.status, self.code, self.message, self.parameters) = (status, code, message, parameters)
    }

    static func invalidParameter(_ name: String, _ problem: String) -> SiteError {
        SiteError(
            400, "rest_invalid_param", "Invalid parameter(s): \(name)",
            parameters: [JSONValue.Member(name: name, value: .text(problem))])
    }

    static func missingParameter(_ name: String) -> SiteError {
        SiteError(
            400, "rest_missing_callback_param", "Missing parameter(s): \(name)",
            parameters: [JSONValue.Member(name: "0", value: .text(name))])
    }

    static let noRoute = SiteError(
        404, "rest_no_route", "No route was found matching the URL and request method.")
    static let cannotView = SiteError(
        401, "woocommerce_rest_cannot_view", "Sorry, you cannot list resources.")
    static let noSuchOrder = SiteError(404, "woocommerce_rest_shop_order_invalid_id", "Invalid ID.")
    static let notLoggedIn = SiteError(401, "rest_not_logged_in", "You are not currently logged in.")

    /// Returns the response in the format of the API.
    func response(_ dialect: SiteDialect) -> SiteResponse {
        switch dialect {
        case .site:
            var data = [JSONValue.Member(name: "status", value: .integer(status))]
            if !parameters.isEmpty { data.append(JSONValue.Member(name: "params", value: .object(parameters))) }
            return .json(
                ["code": .text(code), "message": .text(message), "data": .object(data)], status: status)
        case .dotcom, .tunnel:
            return .json(["error": .text(code), "message": .text(message)], status: status)
        }
    }
}
