/// The part of an answer that a mapper reads.
public struct MappedContent: Sendable {
    let document: JSONDocument
    let node: Int

    /// - Throws: ``DecodingFailure``
    init(_ document: JSONDocument, _ envelope: Envelope) throws(DecodingFailure) {
        self.document = document
        node = try envelope.open(document)
    }

    private init(_ document: JSONDocument, node: Int) { (self.document, self.node) = (document, node) }

    /// How PHP writes an object without members, and a store that there is nothing.
    var isEmptyList: Bool { document.nodes[node].kind == .list && document.nodes[node].length == 0 }

    /// A part of this part.
    ///
    /// - Throws: ``DecodingFailure``
    func member(_ name: String) throws(DecodingFailure) -> MappedContent {
        guard let member = document.member(name, of: node) else {
            throw DocumentDecoder(document: document, node: node, context: DecodingContext()).missing(name)
        }
        return MappedContent(document, node: member)
    }

    /// - Throws: ``DecodingFailure``
    func value<Value: Decodable>(
        _ type: Value.Type, context: DecodingContext = DecodingContext()
    ) throws(DecodingFailure) -> Value {
        try Self.decode(type, DocumentDecoder(document: document, node: node, context: context))
    }

    /// Every element by itself: those that cannot be read are reported.
    ///
    /// - Throws: ``DecodingFailure`` when it is no list.
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
        do { return try decoder.value(type) } catch {
            throw error as? DecodingFailure ?? decoder.invalid("a valid \(Value.self)")
        }
    }
}
