public import Determinism

/// One page of a longer list.
public struct Page<Element> {
    public let list: ElementList<Element>
    /// All elements of all pages, when the server says so.
    public let total: Int?
    /// How many pages there are, when the server says so.
    public let totalPages: Int?
    /// Whether another page follows.
    public let hasNext: Bool
    /// What the server's clock showed when it answered, when it says so.
    public let servedAt: Timestamp?

    public var elements: [Element] { list.elements }

    public init(
        list: ElementList<Element>, total: Int? = nil, totalPages: Int? = nil, hasNext: Bool, servedAt: Timestamp? = nil
    ) {
        (self.list, self.total, self.totalPages) = (list, total, totalPages)
        (self.hasNext, self.servedAt) = (hasNext, servedAt)
    }

    /// The same with other elements.
    public func map<Other>(_ transform: ([Element]) -> [Other]) -> Page<Other> {
        Page<Other>(
            list: list.map(transform), total: total, totalPages: totalPages, hasNext: hasNext, servedAt: servedAt)
    }

    /// Reads `X-WP-Total`, `X-WP-TotalPages` and `Link` (WordPress REST API, pagination; RFC 8288). The tunnel does not
    /// pass them on; then a page that is full has a next one.
    init(list: ElementList<Element>, headers: HTTPHeaders, number: Int, size: Int) {
        let total = headers["X-WP-Total"].flatMap { Int($0) }
        let totalPages = headers["X-WP-TotalPages"].flatMap { Int($0) }
        let links = headers.values(of: "Link")
        let hasNext =
            if let totalPages {
                number < totalPages
            } else if !links.isEmpty {
                links.contains { $0.contains("rel=\"next\"") || $0.contains("rel=next") }
            } else {
                list.elements.count + list.rejected.count >= size
            }
        self.init(
            list: list, total: total, totalPages: totalPages, hasNext: hasNext,
            servedAt: headers["Date"].flatMap(HTTPDate.init)?.moment)
    }
}

extension Page: Sendable where Element: Sendable {}
extension Page: Equatable where Element: Equatable {}
