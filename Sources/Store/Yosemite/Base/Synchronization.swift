import Determinism
public import Networking
import Synchronization

/// The running synchronizations by site, for canceling them.
final class RunningSynchronizations: Sendable {
    private struct Content {
        var waits: [Int64: [UInt64: Task<Void, Never>]] = [:]
        var lastNumber: UInt64 = 0
    }

    private let content = Mutex(Content())

    /// Starts a synchronization, and keeps it until its completion is called.
    func begin<Value: Sendable>(
        siteID: Int64, _ onCompletion: @escaping @Sendable (Result<Value, StoreError>) -> Void,
        _ start: (@escaping @Sendable (Result<Value, StoreError>) -> Void) -> Task<Void, Never>
    ) {
        // Under the lock, so that one that ends at once is stored before it is removed.
        content.withLock { content in
            content.lastNumber += 1
            let number = content.lastNumber
            content.waits[siteID, default: [:]][number] = start { [weak self] result in
                self?.forget(siteID, number)
                onCompletion(result)
            }
        }
    }

    func cancel(siteID: Int64) {
        let waits = content.withLock { $0.waits[siteID].map { Array($0.values) } ?? [] }
        for wait in waits { wait.cancel() }
    }

    private func forget(_ siteID: Int64, _ number: UInt64) {
        content.withLock { _ = $0.waits[siteID]?.removeValue(forKey: number) }
    }
}

/// The progress of a synchronization of several pages.
public struct SynchronizationProgress: Hashable, Sendable {
    /// The number of elements saved so far.
    public var saved: Int
    public var pages: Int
    /// The number of all elements, when the site reports it.
    public var total: Int?

    /// Counts elements and pages so far; `total` is nil if the site did not tell it.
    public init(saved: Int, pages: Int, total: Int?) { (self.saved, self.pages, self.total) = (saved, pages, total) }
}

/// The result of a synchronization of several pages.
public struct SynchronizationReport: Hashable, Sendable {
    /// An element of the list that could not be decoded. The others were saved.
    public struct Rejection: Hashable, Sendable, CustomStringConvertible {
        /// The page number, from 1.
        public let page: Int
        public let failure: DecodingFailure

        public var description: String { "page \(page): \(failure)" }
    }

    /// The number of saved elements.
    public internal(set) var saved = 0
    /// The number of stored elements that the site no longer has and that were deleted here.
    public internal(set) var deleted = 0
    public internal(set) var pages = 0
    /// The number of elements that could not be decoded.
    public internal(set) var rejectedCount = 0
    /// The first hundred elements that could not be decoded.
    public internal(set) var rejected: [Rejection] = []
    /// Whether the end of the list was reached before the page limit.
    public internal(set) var isComplete = true
    /// Whether everything was read, and not only changes since the last time.
    public internal(set) var isFull = true

    mutating func add<Element>(_ page: Page<Element>, number: Int) {
        pages += 1
        rejectedCount += page.list.rejected.count
        rejected += page.list.rejected.prefix(max(0, 100 - rejected.count)).map { Rejection(page: number, failure: $0) }
    }
}

/// The sites of a WordPress.com account, or the one site of an application password.
public struct SynchronizedSites: Hashable, Sendable {
    public let sites: [Site]
    /// The sites that could not be decoded. Stored sites are then kept.
    public let rejected: [DecodingFailure]

    /// Whether some sites are connected by a Jetpack plug-in other than Jetpack itself.
    public var hasSitesConnectedByPartOnly: Bool { sites.contains(where: \.isConnectedByPartOnly) }
}
