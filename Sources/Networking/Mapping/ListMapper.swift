/// Reads a list, element by element.
public struct ListMapper<Element: Decodable & Sendable>: Mapper {
    private let member: String?
    private let context: DecodingContext

    /// `member`: under which name the list stands, nil when it is the whole content.
    /// `context`: what the request said and the answer does not.
    public init(
        _ type: Element.Type = Element.self, in member: String? = nil, context: DecodingContext = DecodingContext()
    ) {
        (self.member, self.context) = (member, context)
    }

    public func map(_ content: MappedContent) throws(DecodingFailure) -> ElementList<Element> {
        let list = if let member { try content.member(member) } else { content }
        return try list.list(Element.self, context: context)
    }
}
