/// The mappers that need no name.
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
