import Text

/// The requests for one kind of object: their paths and parameters, independent of the route.
///
/// Every method throws ``NetworkError``. Lists are decoded element by element; failures are returned with the elements.
public protocol Remote: Sendable {
    var sender: any RequestSender { get }
}

extension Remote {
    func value<Value: Decodable & Sendable>(
        _ request: any Request, context: DecodingContext = DecodingContext()
    ) async throws(NetworkError) -> Value {
        try ValueMapper(Value.self, context: context).output(of: await sender.send(request))
    }

    func list<Element: Decodable & Sendable>(
        _ request: any Request, in member: String? = nil,
        context: DecodingContext = DecodingContext()
    ) async throws(NetworkError) -> ElementList<Element> {
        try ListMapper(Element.self, in: member, context: context).output(of: await sender.send(request))
    }

    func page<Element: Decodable & Sendable>(
        _ request: any Request, _ wanted: PageRequest, siteID: Int64
    ) async throws(NetworkError) -> Page<Element> {
        try await page(request, wanted, context: DecodingContext(siteID: siteID))
    }

    func page<Element: Decodable & Sendable>(
        _ request: any Request, _ wanted: PageRequest, context: DecodingContext
    ) async throws(NetworkError) -> Page<Element> {
        let response = try await sender.send(request)
        let list = try ListMapper(Element.self, context: context).output(of: response)
        return Page(list: list, headers: response.headers, number: wanted.number, size: wanted.size)
    }

    func output<Some: Mapper>(_ mapper: Some, _ request: any Request) async throws(NetworkError) -> Some.Output {
        try mapper.output(of: await sender.send(request))
    }
}

/// A page of a list to request.
public struct PageRequest: Hashable, Sendable {
    /// The maximum page size of a store.
    public static let largest = 100

    /// The number of the page, from 1.
    public let number: Int
    /// The number of elements per page, 1...100.
    public let size: Int

    /// Requests the page with this number, from 1. A size outside 1...100 becomes the nearest one.
    public init(number: Int = 1, size: Int = 25) {
        self.number = max(1, number)
        self.size = min(max(1, size), Self.largest)
    }

    public var next: PageRequest { PageRequest(number: number + 1, size: size) }

    func add(to parameters: inout Parameters) {
        parameters.add("page", JSONValue(number))
        parameters.add("per_page", JSONValue(size))
    }
}
