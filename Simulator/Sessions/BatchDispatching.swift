import FoundationEssentials

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

/// Batches and results as JSON with sorted keys, so that equal values are equal bytes.
public enum BatchCoding {
    /// Returns the bytes of a value; none for one that JSON can't hold, such as a number that is no number.
    public static func bytes(_ value: some Encodable) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(value)).map { Array($0) } ?? []
    }

    /// Returns the value of bytes; nil for other bytes.
    public static func value<Value: Decodable>(_ bytes: [UInt8], as type: Value.Type) -> Value? {
        try? JSONDecoder().decode(type, from: Data(bytes))
    }
}
