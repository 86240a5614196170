/// How far a synchronisation of many pages has come.
public struct SynchronizationProgress: Hashable, Sendable {
    /// Elements that are in the database by now.
    public var saved: Int
    public var pages: Int
    /// All there are, when the site says so.
    public var total: Int?

    public init(saved: Int, pages: Int, total: Int?) { (self.saved, self.pages, self.total) = (saved, pages, total) }
}
