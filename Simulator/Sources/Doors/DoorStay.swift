/// How long a door goes on.
public struct DoorStay: Hashable, Sendable {
    /// How long to wait for somebody to be there, each time; nil for as long as it takes.
    public var longestWait: Duration?
    /// Whether to end when the connection ends.
    public var endsWithPeer: Bool

    public init(longestWait: Duration? = nil, endsWithPeer: Bool = false) {
        (self.longestWait, self.endsWithPeer) = (longestWait, endsWithPeer)
    }
}
