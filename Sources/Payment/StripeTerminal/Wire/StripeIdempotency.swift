import Determinism
import Text

/// The answers that are kept by the idempotency keys of their requests.
///
/// A key belongs to the request that used it first: the same request gets the same status and bytes again, another one
/// an error, and one that comes while the first runs a conflict. A key is forgotten after 24 hours. Of the answers, the
/// newest are kept: an older key is still known, so that nothing happens again.
struct StripeIdempotency: Sendable {
    /// What to do with a request that has a key.
    enum Verdict: Hashable {
        case new
        case replay(StripeResponse)
        /// The first request is still running.
        case inFlight
        /// The first request has ended, and its response is not kept any more.
        case gone
        /// The key belongs to another request.
        case mismatch
    }

    private struct Entry {
        /// Tells the request from others: a hash of key pair, method, path, and body.
        let fingerprint: [UInt8]
        var answer = Answer.running
        let date: Timestamp
    }

    private enum Answer {
        case running
        case kept(PackedResponse)
        case gone

        var isRunning: Bool { if case .running = self { true } else { false } }
    }

    /// 24 hours.
    static let lifetime = Duration.seconds(86_400)
    static let lengths = 1...255
    /// The most responses that are kept.
    static let mostResponses = 2000

    private var entries: [String: Entry] = [:]
    /// The keys, oldest first.
    private var order: [String] = []
    /// The keys whose responses are kept, in the order of the responses.
    private var kept: [String] = []

    /// Takes the key of a request that begins.
    mutating func begin(_ key: String, _ fingerprint: [UInt8], at now: Timestamp) -> Verdict {
        forget(before: now.advanced(by: .zero - Self.lifetime))
        guard let entry = entries[key] else {
            entries[key] = Entry(fingerprint: fingerprint, date: now)
            order.append(key)
            return .new
        }
        guard entry.fingerprint == fingerprint else { return .mismatch }
        switch entry.answer {
        case .running: return .inFlight
        case .kept(let packed): return packed.response.map { .replay($0) } ?? .gone
        case .gone: return .gone
        }
    }

    /// Takes the response of the request that began with a key; nil frees the key, because nothing began.
    mutating func end(_ key: String, _ response: StripeResponse?) {
        guard let response else {
            entries[key] = nil
            order.removeAll { $0 == key }
            return
        }
        entries[key]?.answer = .kept(PackedResponse(response))
        kept.append(key)
        // In one go now and then: each time moves all others.
        guard kept.count >= Self.mostResponses + Self.mostResponses / 10 else { return }
        for old in kept.prefix(kept.count - Self.mostResponses) { entries[old]?.answer = .gone }
        kept.removeFirst(kept.count - Self.mostResponses)
    }

    private mutating func forget(before limit: Timestamp) {
        let old = order.prefix { entries[$0].map { $0.date < limit && !$0.answer.isRunning } ?? true }
        guard !old.isEmpty else { return }
        for key in old { entries[key] = nil }
        order.removeFirst(old.count)
        kept.removeFirst(kept.prefix { entries[$0] == nil }.count)
    }
}

/// A response as its bytes, which take a part of the room of its values.
private struct PackedResponse {
    private let status: Int
    private let headers: [StripeRequest.Header]
    private let body: [UInt8]

    init(_ response: StripeResponse) {
        (status, headers, body) = (response.status, response.headers, response.body)
    }

    /// The response, with the same bytes; nil when these are no JSON.
    var response: StripeResponse? {
        JSONReader.node(body).map { StripeResponse(status: status, headers: headers, json: $0) }
    }
}
