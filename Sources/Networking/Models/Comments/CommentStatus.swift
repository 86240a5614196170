/// The states of a comment, and the words that change them.
public enum CommentStatus: Codable, Hashable, Sendable, RawRepresentable {
    case approved, unapproved, spam, unspam, trash, untrash
    case other(String)

    public init(rawValue: String) {
        self = Self.known.first { $0.rawValue == rawValue } ?? .other(rawValue)
    }

    public var rawValue: String {
        switch self {
        case .approved: "approved"
        case .unapproved: "unapproved"
        case .spam: "spam"
        case .unspam: "unspam"
        case .trash: "trash"
        case .untrash: "untrash"
        case .other(let word): word
        }
    }

    private static let known: [CommentStatus] = [.approved, .unapproved, .spam, .unspam, .trash, .untrash]
}
