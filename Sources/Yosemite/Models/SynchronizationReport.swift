public import Networking

/// What a synchronisation of many pages did.
public struct SynchronizationReport: Hashable, Sendable {
    /// An element of the list that could not be read. The others were saved.
    public struct Rejection: Hashable, Sendable, CustomStringConvertible {
        /// From 1.
        public let page: Int
        public let failure: DecodingFailure

        public var description: String { "page \(page): \(failure)" }
    }

    /// Elements that were saved.
    public internal(set) var saved = 0
    /// Elements that were kept here and are no more at the site.
    public internal(set) var deleted = 0
    public internal(set) var pages = 0
    /// How many elements could not be read.
    public internal(set) var rejectedCount = 0
    /// Where the first hundred of them stand, and what is wrong with them.
    public internal(set) var rejected: [Rejection] = []
    /// Whether the end of the list was reached, and not only the limit of pages.
    public internal(set) var isComplete = true
    /// Whether everything was read, and not only what has changed since the last time.
    public internal(set) var isFull = true

    mutating func add<Element>(_ page: Page<Element>, number: Int) {
        pages += 1
        rejectedCount += page.list.rejected.count
        rejected += page.list.rejected.prefix(max(0, 100 - rejected.count)).map { Rejection(page: number, failure: $0) }
    }
}
