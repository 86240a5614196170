/// How many requests fit a pattern, such as `POST *capture_terminal_payment`.
public struct RequestCount: Hashable, Sendable {
    /// Method and path, with `*` for anything.
    public var pattern: TextPattern
    /// How many requests must fit it.
    public var count: Int

    public init(_ pattern: TextPattern, count: Int) { (self.pattern, self.count) = (pattern, count) }
}
