/// A text in which `*` stands for anything, also for nothing.
public struct TextPattern: Hashable, Sendable, CustomStringConvertible {
    /// The pattern as it is written.
    public let text: String
    private let bytes: [UInt8]

    /// A pattern with any number of `*` in it.
    public init(_ text: String) { (self.text, bytes) = (text, Array(text.utf8)) }

    public var description: String { text }

    /// Whether a text fits, or begins with these words.
    public func fitsBeginning(of candidate: String) -> Bool {
        matches(candidate) || candidate.hasPrefix(text + " ")
    }

    /// Whether the whole of `candidate` fits. It takes time in proportion to both lengths multiplied, at most.
    public func matches(_ candidate: some StringProtocol) -> Bool {
        let candidate = Array(candidate.utf8)
        var (pattern, place) = (0, 0)
        // Where to go on when what follows the last star does not fit: one byte later.
        var retry: (pattern: Int, place: Int)?
        while true {
            if pattern < bytes.count, bytes[pattern] == UInt8(ascii: "*") {
                pattern += 1
                retry = (pattern, place)
            } else if place < candidate.count, pattern < bytes.count, bytes[pattern] == candidate[place] {
                (pattern, place) = (pattern + 1, place + 1)
            } else if place == candidate.count, pattern == bytes.count {
                return true
            } else if let last = retry, last.place < candidate.count {
                (pattern, place) = (last.pattern, last.place + 1)
                retry = (last.pattern, last.place + 1)
            } else {
                return false
            }
        }
    }
}
