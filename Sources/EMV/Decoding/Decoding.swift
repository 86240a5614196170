/// What came out of some bytes.
public struct Decoding: Hashable, Sendable {
    /// What the bytes were read as.
    public let subject: DecodingSubject
    /// Whether nobody said what the bytes are.
    public let isGuessed: Bool
    /// The bytes that were given.
    public let length: Int
    /// What was read, up to the problem if there is one.
    public let values: [DecodedValue]
    /// Why the reading ended early; nil when all bytes were read.
    public let problem: DecodingProblem?
}

/// Why bytes cannot be read on, and at which of them. Carries no value.
public struct DecodingProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The offset of the first byte that cannot be read, or of the data object that cannot.
    public let offset: Int
    /// What is wrong there.
    public let reason: String

    public var description: String { "\(reason), at offset \(offset)" }
}
