package import Text

/// The JSON form of a value for clients: the shape and the content of every key of an object.
package struct View<Value>: Sendable {
    /// A key of the object.
    package struct Key: Sendable {
        fileprivate let field: Field
        fileprivate let content: @Sendable (Value) -> JSONValue?

        /// Creates a key. It is optional if its content is.
        package static func key<Content: ViewContent>(
            _ name: String, _ schema: Schema, _ summary: String? = nil,
            _ content: @escaping @Sendable (Value) -> Content
        ) -> Key {
            Key(field: Field(name, schema, summary, optional: Content.isOptional, null: false)) { content($0).json }
        }
    }

    private let keys: [Key]

    package init(_ keys: Key...) { self.keys = keys }

    package var schema: Schema { .object(keys.map(\.field)) }

    package func json(_ value: Value) -> JSONValue {
        .object(keys.compactMap { key in key.content(value).map { JSONValue.Member(key.field.name, $0) } })
    }
}

/// The content of a key.
package protocol ViewContent: Sendable {
    static var isOptional: Bool { get }

    /// The JSON form; nil to leave the key out.
    var json: JSONValue? { get }
}

extension ViewContent {
    package static var isOptional: Bool { false }
}

extension BinaryInteger where Self: ViewContent {
    package var json: JSONValue? { JSONValue(self) }
}

extension Int: ViewContent {}
extension Int32: ViewContent {}
extension Int64: ViewContent {}
extension UInt8: ViewContent {}
extension UInt64: ViewContent {}

extension Bool: ViewContent {
    package var json: JSONValue? { .bool(self) }
}

extension String: ViewContent {
    package var json: JSONValue? { .text(self) }
}

extension JSONValue: ViewContent {
    package var json: JSONValue? { self }
}

extension Array: ViewContent where Element: ViewContent {
    package var json: JSONValue? { .list(compactMap(\.json)) }
}

extension Optional: ViewContent where Wrapped: ViewContent {
    package static var isOptional: Bool { true }
    package var json: JSONValue? { flatMap(\.json) }
}
