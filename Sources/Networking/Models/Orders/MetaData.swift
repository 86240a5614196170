/// What plug-ins keep with a record. Names that begin with an underscore are theirs alone.
public struct MetaData: Codable, Hashable, Sendable {
    public let id: Int64?
    public let key: String
    public let value: JSONValue?

    public var isInternal: Bool { key.hasPrefix("_") }
}
