/// Asks for one kind of thing: it knows paths and parameters, and nothing of how they get there.
///
/// Every method throws ``NetworkError``. Lists are read element by element: what cannot be read is reported beside what
/// can.
public protocol Remote: Sendable {
    var sender: any RequestSending { get }
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
        let response = try await sender.send(request)
        let list = try ListMapper(Element.self, context: DecodingContext(siteID: siteID)).output(of: response)
        return Page(list: list, headers: response.headers, number: wanted.number, size: wanted.size)
    }

    func output<Some: Mapper>(_ mapper: Some, _ request: any Request) async throws(NetworkError) -> Some.Output {
        try mapper.output(of: await sender.send(request))
    }
}
