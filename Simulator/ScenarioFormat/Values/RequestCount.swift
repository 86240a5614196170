/// How many requests fit a pattern, such as `POST *capture_terminal_payment`.
public struct RequestCount: Hashable, Sendable {
    public var pattern: TextPattern
    public var count: Int

    public init(_ pattern: TextPattern, count: Int) { (self.pattern, self.count) = (pattern, count) }
}
