/// When a ``SessionAct`` happens.
public struct SessionTrigger: Hashable, Sendable {
    /// What is waited for.
    public enum Moment: Hashable, Sendable {
        /// The moment at which the act is given to the session.
        case now
        /// The `count`-th event from now, 1 being the next, whose ``SessionEvent/text`` begins with these words.
        case event(String, count: Int)
    }

    /// What is waited for.
    public var moment: Moment
    /// How long after that. Without a delay the act happens before anything else does.
    public var delay: Duration

    /// So long after a moment.
    public init(_ moment: Moment, delay: Duration = .zero) { (self.moment, self.delay) = (moment, delay) }

    /// After a time.
    public static func after(_ delay: Duration) -> SessionTrigger { SessionTrigger(.now, delay: delay) }

    /// At the `count`-th event from now that begins with these words, or `delay` later.
    public static func at(_ words: String, count: Int = 1, delay: Duration = .zero) -> SessionTrigger {
        SessionTrigger(.event(words, count: count), delay: delay)
    }
}
