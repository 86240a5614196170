/// What a print server keeps of a job's story for somebody who asks.
public struct PrintJobSubscription: Hashable, Sendable {
    /// The number that the server gave it.
    public let id: Int32
    /// The number of the first event that has not been heard yet.
    public internal(set) var nextEvent: Int32 = 1

    public init(id: Int32) { self.id = id }
}
