/// Converts a response into a read-only model.
public protocol Mapper<Output>: Sendable {
    associatedtype Output: Sendable

    /// - Throws: ``DecodingFailure``
    func map(_ content: ResponseContent) throws(DecodingFailure) -> Output
}

extension Mapper {
    /// Converts a response from the network.
    ///
    /// - Throws: ``NetworkError/undecodable(_:)``
    func output(of response: Response) throws(NetworkError) -> Output {
        do throws(DecodingFailure) {
            return try map(ResponseContent(response.document, Envelope(response.dialect)))
        } catch {
            throw .undecodable(error)
        }
    }

    /// Converts a document without a request, such as a recorded response.
    ///
    /// - Throws: ``NetworkError/service(_:)`` when it is an error response of any interface,
    ///   ``NetworkError/unreadable(_:)``, ``NetworkError/undecodable(_:)``
    public func map(response bytes: [UInt8], envelope: Envelope = .either) throws(NetworkError) -> Output {
        let document: JSONDocument
        do throws(JSONSyntaxError) { document = try JSONDocument(bytes) } catch {
            throw .unreadable(UnreadableContent(problem: error, contentType: nil, status: 200))
        }
        if let (code, message, status) = ResponseValidator(dialect: .tunnel).error(in: document) {
            throw .service(ServiceError(status: status ?? 200, code: code, message: message))
        }
        do throws(DecodingFailure) { return try map(ResponseContent(document, envelope)) } catch {
            throw .undecodable(error)
        }
    }
}

/// Decodes one value.
public struct ValueMapper<Output: Decodable & Sendable>: Mapper {
    private let context: DecodingContext

    /// `context`: values that the response does not repeat.
    public init(_ type: Output.Type = Output.self, context: DecodingContext = DecodingContext()) {
        self.context = context
    }

    public func map(_ content: ResponseContent) throws(DecodingFailure) -> Output {
        try content.value(Output.self, context: context)
    }
}

/// Decodes a list, element by element.
public struct ListMapper<Element: Decodable & Sendable>: Mapper {
    private let member: String?
    private let context: DecodingContext

    /// `member`: the name of the member with the list; nil when the whole content is the list.
    /// `context`: values that the response does not repeat.
    public init(
        _ type: Element.Type = Element.self, in member: String? = nil, context: DecodingContext = DecodingContext()
    ) {
        (self.member, self.context) = (member, context)
    }

    public func map(_ content: ResponseContent) throws(DecodingFailure) -> ElementList<Element> {
        let list = if let member { try content.member(member) } else { content }
        return try list.list(Element.self, context: context)
    }
}

/// Shortcuts for mappers that are used in one place.
enum Mapping {
    static func value<Value: Decodable & Sendable>(
        _ type: Value.Type, from response: Response, context: DecodingContext = DecodingContext()
    ) throws(NetworkError) -> Value {
        try ValueMapper(type, context: context).output(of: response)
    }

    static func list<Element: Decodable & Sendable>(
        _ type: Element.Type, from response: Response, context: DecodingContext = DecodingContext()
    ) throws(NetworkError) -> ElementList<Element> {
        try ListMapper(type, context: context).output(of: response)
    }
}

/// The part of a response that a mapper decodes.
public struct ResponseContent: Sendable {
    let document: JSONDocument
    let node: Int

    /// - Throws: ``DecodingFailure``
    init(_ document: JSONDocument, _ envelope: Envelope) throws(DecodingFailure) {
        self.document = document
        node = try envelope.open(document)
    }

    private init(_ document: JSONDocument, node: Int) { (self.document, self.node) = (document, node) }

    /// Whether the content is an empty list, which PHP writes for an empty object and stores for no value.
    var isEmptyList: Bool { document.nodes[node].kind == .list && document.nodes[node].length == 0 }

    /// Returns a member of the content.
    ///
    /// - Throws: ``DecodingFailure``
    func member(_ name: String) throws(DecodingFailure) -> ResponseContent {
        guard let member = document.member(name, of: node) else {
            throw DocumentDecoder(document: document, node: node, context: DecodingContext()).missing(name)
        }
        return ResponseContent(document, node: member)
    }

    /// - Throws: ``DecodingFailure``
    func value<Value: Decodable>(
        _ type: Value.Type, context: DecodingContext = DecodingContext()
    ) throws(DecodingFailure) -> Value {
        try Self.decode(type, DocumentDecoder(document: document, node: node, context: context))
    }

    /// Decodes every element separately and reports those that fail.
    ///
    /// - Throws: ``DecodingFailure`` when the content is not a list.
    func list<Element: Decodable>(
        _ type: Element.Type, context: DecodingContext = DecodingContext()
    ) throws(DecodingFailure) -> ElementList<Element> {
        let decoder = DocumentDecoder(document: document, node: node, context: context)
        var elements: [Element] = []
        var rejected: [DecodingFailure] = []
        for node in try decoder.elements() {
            do throws(DecodingFailure) {
                elements.append(try Self.decode(type, decoder.part(node)))
            } catch {
                rejected.append(error)
            }
        }
        return ElementList(elements: elements, rejected: rejected)
    }

    private static func decode<Value: Decodable>(
        _ type: Value.Type, _ decoder: DocumentDecoder
    ) throws(DecodingFailure) -> Value {
        do {
            let value = try decoder.value(type)
            // Whole values only: asking each part would cost more than decoding it.
            return (value as? any NormalizedForm)?.normalized as? Value ?? value
        } catch {
            throw error as? DecodingFailure ?? decoder.invalid("a valid \(Value.self)")
        }
    }
}

/// A model that stores write in several ways that differ in more than one member.
protocol NormalizedForm {
    /// The same content in one way.
    var normalized: Self { get }
}

/// Whether the content is the whole response or its member `data`.
public enum Envelope: Hashable, Sendable {
    /// The whole response, from sites and from WordPress.com itself.
    case none
    /// The member `data`, from the tunnel.
    case data
    /// For a document of unknown origin: the member `data` when it is the only one.
    case either

    init(_ dialect: Dialect) { self = dialect == .tunnel ? .data : .none }

    /// - Returns: The node of the content.
    /// - Throws: ``DecodingFailure`` when the envelope is missing or empty.
    func open(_ document: JSONDocument) throws(DecodingFailure) -> Int {
        let root = JSONDocument.root
        guard self != .none else { return root }
        let content = document.member("data", of: root)
        if self == .either {
            guard let content, document.nodes[root].length == 1 else { return root }
            return try Self.filled(content, document)
        }
        guard let content else {
            // Some endpoints of WordPress.com omit the envelope, as a site does.
            guard document.nodes[root].kind == .object, document.nodes[root].length > 0 else {
                throw DecodingFailure(.missing, at: "data")
            }
            return root
        }
        return try Self.filled(content, document)
    }

    private static func filled(_ content: Int, _ document: JSONDocument) throws(DecodingFailure) -> Int {
        guard document.nodes[content].kind != .null else { throw DecodingFailure(.missing, at: "data") }
        return content
    }
}
