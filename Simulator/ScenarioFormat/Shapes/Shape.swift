/// What a value of a scenario file may be. One table of shapes ([ScenarioKeys](ScenarioKeys)) is read for everything: files
/// are checked by it, and the JSON Schema is made of it.
public indirect enum Shape: Sendable {
    /// Text that is nobody's word: a name, a path, a pattern.
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
    /// A list of one shape, of so many entries.
    case list(Shape, ClosedRange<Int>)
    /// A mapping whose keys are names that the file's author gives.
    case table(Shape)
    /// A mapping with known keys.
    case record(RecordShape)
    /// The first of these that has the value's kind; among words and texts, the first that takes it.
    case either([Shape])
    /// What another format describes; the text says which.
    case foreign(String)

    /// A list, in place of which its only entry can stand.
    static func oneOrMany(_ shape: Shape, _ count: ClosedRange<Int> = 1...100) -> Shape {
        .either([.list(shape, count), shape])
    }

    /// A line of text.
    static let line = Shape.text(1...200)
}

/// A mapping with known keys.
public struct RecordShape: Sendable {
    /// What the JSON Schema calls it.
    public let name: String
    /// What it is for, in one sentence.
    public let summary: String
    /// What can stand in it.
    public let keys: [KeyShape]

    init(_ name: String, _ summary: String, _ keys: [KeyShape]) {
        (self.name, self.summary, self.keys) = (name, summary, keys)
    }
}

/// A key of a ``RecordShape``.
public struct KeyShape: Sendable {
    public let name: String
    public let shape: Shape
    /// What it means, in one sentence.
    public let summary: String
    public let isRequired: Bool

    init(_ name: String, _ shape: Shape, _ summary: String, isRequired: Bool = false) {
        (self.name, self.shape, self.summary, self.isRequired) = (name, shape, summary, isRequired)
    }
}
