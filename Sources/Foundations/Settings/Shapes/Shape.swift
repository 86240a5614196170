/// The shape of a value in a file. A format has a table of all its shapes: files are checked against it with
/// ``ShapeCheck``, and the JSON Schema is generated from it with ``ShapeSchema``.
public indirect enum Shape: Sendable {
    /// Free text of a length in this range: a name, a path, a pattern.
    case text(ClosedRange<Int>)
    /// A whole number in a range.
    case number(ClosedRange<Int>)
    /// `true` or `false`.
    case boolean
    /// `500ms`, `2s`, `10min` or `1h`.
    case duration
    /// A decimal amount without a sign.
    case amount
    /// One of these words.
    case word([String])
    /// A list of one shape, with a number of entries in this range.
    case list(Shape, ClosedRange<Int>)
    /// A mapping whose keys are names chosen by the author.
    case table(Shape)
    /// A mapping with known keys.
    case record(RecordShape)
    /// The first of these that has the value's kind; among words and texts, the first that takes it.
    case either([Shape])
    /// A value of another format, which the text names.
    case foreign(String)

    /// A list, or a single entry without the list.
    public static func oneOrMany(_ shape: Shape, _ count: ClosedRange<Int> = 1...100) -> Shape {
        .either([.list(shape, count), shape])
    }

    /// A line of text.
    public static let line = Shape.text(1...200)
}

/// A mapping with known keys.
public struct RecordShape: Sendable {
    /// The name in the JSON Schema.
    public let name: String
    /// The purpose, in one sentence.
    public let summary: String
    /// The allowed keys.
    public let keys: [KeyShape]

    /// Names a mapping for the schema, says in a sentence what it is, and lists its keys.
    public init(_ name: String, _ summary: String, _ keys: [KeyShape]) {
        (self.name, self.summary, self.keys) = (name, summary, keys)
    }
}

/// A key of a ``RecordShape``.
public struct KeyShape: Sendable {
    public let name: String
    public let shape: Shape
    /// The meaning, in one sentence.
    public let summary: String
    public let isRequired: Bool

    /// Names a key, says what its value is, and explains it in a sentence.
    public init(_ name: String, _ shape: Shape, _ summary: String, isRequired: Bool = false) {
        (self.name, self.shape, self.summary, self.isRequired) = (name, shape, summary, isRequired)
    }
}
