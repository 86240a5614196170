/// An object of a till's protocol that a terminal keeps for its next start, such as a payment that a till has planned.
public struct KeptObject: Hashable, Sendable {
    /// The object's name among all of the terminal.
    public let name: String
    /// Its kind in the words of the protocol.
    public let kind: String
    /// The object as JSON text; nil when it is deleted.
    public let contents: String?

    /// Takes an object as it is now.
    public init(name: String, kind: String, contents: String?) {
        (self.name, self.kind, self.contents) = (name, kind, contents)
    }
}
