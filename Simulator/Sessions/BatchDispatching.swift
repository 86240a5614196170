/// Has batches done elsewhere, such as on other machines, and brings their results back.
///
/// Batches and results are bytes, whose meaning is between those who make a batch and those who do it. A batch depends
/// on nothing but its bytes, so it has the same result wherever, and however often, it is done.
public protocol BatchDispatching: Sendable {
    /// Why there are no results.
    associatedtype Failure: Error

    /// Has batches done.
    ///
    /// - Parameters:
    ///   - batches: the batches.
    ///   - take: receives each result in the order of `batches`, one at a time.
    /// - Throws: when a batch has no result, or `take` can't read it.
    func dispatch(
        _ batches: [[UInt8]], take: @escaping @Sendable (_ number: Int, _ result: [UInt8]) -> ResultAnswer
    ) async throws(Failure)
}

/// The answer to a result.
public enum ResultAnswer: Hashable, Sendable {
    case next
    /// Enough: the results that are left are dropped.
    case stop
    /// The bytes are no result of the batch.
    case unreadable
}
