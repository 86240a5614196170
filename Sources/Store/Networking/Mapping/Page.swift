public import Determinism

/// One page of a longer list.
public struct Page<Element> {
    public let list: ElementList<Element>
    /// The number of elements on all pages, if the server sends it.
    public let total: Int?
    /// The number of pages, if the server sends it.
    public let totalPages: Int?
    /// Whether another page follows.
    public let hasNext: Bool
    /// The server's time of the response, if it sends it.
    public let servedAt: Timestamp?

    public var elements: [Element] { list.elements }

    /// Takes a page. Counts are nil if the server does not tell them; `servedAt` is the server's own time.
    public init(
        list: ElementList<Element>, total: Int? = nil, totalPages: Int? = nil, hasNext: Bool, servedAt: Timestamp? = nil
    ) {
        (self.list, self.total, self.totalPages) = (list, total, totalPages)
        (self.hasNext, self.servedAt) = (hasNext, servedAt)
    }

    /// Returns the same page with other elements.
    public func map<Other>(_ transform: ([Element]) -> [Other]) -> Page<Other> {
        Page<Other>(
            list: list.map(transform), total: total, totalPages: totalPages, hasNext: hasNext, servedAt: servedAt)
    }

    /// Reads `X-WP-Total`, `X-WP-TotalPages` and `Link` (WordPress REST API, pagination; RFC 8288). The tunnel drops
    /// these headers; then a full page is assumed to have a successor.
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

/// The decoded elements of a list, and the errors of the others. One bad element does not fail the list.
public struct ElementList<Element> {
    public let elements: [Element]
    /// The failures in list order, each with its path.
    public let rejected: [DecodingFailure]

    /// Takes the good elements in order, and the failures of the bad ones.
    public init(elements: [Element], rejected: [DecodingFailure] = []) {
        (self.elements, self.rejected) = (elements, rejected)
    }

    /// Returns the same page with other elements.
    public func map<Other>(_ transform: ([Element]) -> [Other]) -> ElementList<Other> {
        ElementList<Other>(elements: transform(elements), rejected: rejected)
    }
}

extension ElementList: Sendable where Element: Sendable {}
extension ElementList: Equatable where Element: Equatable {}
extension ElementList: Hashable where Element: Hashable {}
