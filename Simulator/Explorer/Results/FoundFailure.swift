/// A session that broke an invariant, made as small as it would go.
public struct FoundFailure: Hashable, Sendable, Encodable {
    public var invariant: Invariant
    /// What was seen.
    public var detail: String
    /// The number of the session in the exploration, from 0; nil for a file that was replayed.
    public var session: Int?
    /// What chance in the session was made of.
    public var seed: UInt64
    /// How many steps the session had, and how many were left.
    public var stepsBefore: Int
    public var steps: Int
    /// A name for its file, without a folder.
    public var fileName: String
    /// The scenario file.
    public var text: String
}
