/// One thing that happened in a simulated session.
///
/// Its ``text`` is a line of words, the same for the same happening in every session, so that expectations can be
/// written down and something can be made to happen when it is seen: `journal authorizing P000001 sale`,
/// `display APPROVED`, `host authorize sent`.
public struct SessionEvent: Hashable, Sendable, Codable {
    /// 1 and up, in the order in which things happened.
    public var number: Int
    /// Since the session began, in milliseconds of its clock.
    public var milliseconds: Int64
    /// What kind of thing.
    public var kind: SessionEventKind
    /// What is to be said of it beyond its kind; empty when there is nothing.
    public var detail: String

    /// An event, as it is written down.
    public init(number: Int, milliseconds: Int64, kind: SessionEventKind, detail: String = "") {
        (self.number, self.milliseconds, self.kind, self.detail) = (number, milliseconds, kind, detail)
    }

    /// Since the session began.
    public var time: Duration { .milliseconds(milliseconds) }

    /// Kind and detail.
    public var text: String { detail.isEmpty ? kind.rawValue : "\(kind.rawValue) \(detail)" }

    /// Whether the event begins with these words.
    public func matches(_ words: String) -> Bool {
        let text = text
        return text.hasPrefix(words)
            && (text.utf8.count == words.utf8.count || text.dropFirst(words.count).first == " ")
    }
}
