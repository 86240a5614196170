import Determinism

/// The answers that are kept by the idempotency keys of their requests.
///
/// A key belongs to the request that used it first: the same request gets the same status and bytes again, another one
/// an error, and one that comes while the first runs a conflict. A key is forgotten after 24 hours.
struct StripeIdempotency: Sendable {
    /// What to do with a request that has a key.
    enum Verdict: Hashable {
        case new
        case replay(StripeResponse)
        /// The first request is still running.
        case inFlight
        /// The key belongs to another request.
        case mismatch
    }

    private struct Entry {
        /// Tells the request from others: a hash of key pair, method, path, and body.
        let fingerprint: [UInt8]
        var response: StripeResponse?
        let date: Timestamp
    }

    /// 24 hours.
    static let lifetime = Duration.seconds(86_400)
    static let lengths = 1...255

    private var entries: [String: Entry] = [:]
    /// The keys, oldest first.
    private var order: [String] = []

    /// Takes the key of a request that begins.
    mutating func begin(_ key: String, _ fingerprint: [UInt8], at now: Timestamp) -> Verdict {
        forget(before: now.advanced(by: .zero - Self.lifetime))
        guard let entry = entries[key] else {
            entries[key] = Entry(fingerprint: fingerprint, date: now)
            order.append(key)
            return .new
        }
        guard entry.fingerprint == fingerprint else { return .mismatch }
        return entry.response.map { .replay($0) } ?? .inFlight
    }

    /// Takes the response of the request that began with a key; nil frees the key, because nothing began.
    mutating func end(_ key: String, _ response: StripeResponse?) {
        guard let response else {
            entries[key] = nil
            order.removeAll { $0 == key }
            return
        }
        entries[key]?.response = response
    }

    private mutating func forget(before limit: Timestamp) {
        let old = order.prefix { entries[$0].map { $0.date < limit && $0.response != nil } ?? true }
        for key in old { entries[key] = nil }
        order.removeFirst(old.count)
    }
}
