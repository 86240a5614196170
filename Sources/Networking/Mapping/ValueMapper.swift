/// Reads one value.
public struct ValueMapper<Output: Decodable & Sendable>: Mapper {
    private let context: DecodingContext

    /// `context`: what the request said and the answer does not.
    public init(_ type: Output.Type = Output.self, context: DecodingContext = DecodingContext()) {
        self.context = context
    }

    public func map(_ content: MappedContent) throws(DecodingFailure) -> Output {
        try content.value(Output.self, context: context)
    }
}
