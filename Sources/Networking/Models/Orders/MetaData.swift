// @model
/// What plug-ins keep with a record. Names that begin with an underscore are theirs alone.
public struct MetaData: Codable, Hashable, Sendable {
    public let id: Int64?
    public let key: String
    public let value: JSONValue?  // @json

    // Made by Scripts/generate.
    public init(id: Int64?, key: String, value: JSONValue?) {
        self.id = id
        self.key = key
        self.value = value
    }
    // End of what was made.

    public var isInternal: Bool { key.hasPrefix("_") }
}
