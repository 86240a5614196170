import HTTPInterface
import Sessions
import Synchronization

/// An operation of a session that may wait for a person across requests.
final class Operation: Sendable {
    enum Kind: String, Sendable, CaseIterable { case payment, refund }

    private struct State {
        var isRunning = true
        var failure: SimulatedSessionError?
        var payment: Int64?
        var hasBegun = false
        /// The newest payment before the operation.
        var previous: Int64?
    }

    let kind: Kind
    private let state: Mutex<State>

    /// - Parameters:
    ///   - kind: the kind of operation.
    ///   - payment: the payment's number, if known.
    init(_ kind: Kind, payment: Int64? = nil) {
        self.kind = kind
        state = Mutex(State(payment: payment))
    }

    var isRunning: Bool { state.withLock { $0.isRunning } }

    /// Whether it has begun and not ended. It begins in a turn of its own; before, other requests may have theirs.
    var isUnderWay: Bool { state.withLock { $0.hasBegun && $0.isRunning } }

    /// The error; nil while it runs and after a success.
    var failure: SimulatedSessionError? { state.withLock { $0.failure } }

    /// The number of its payment, once known.
    var payment: Int64? { state.withLock { $0.payment } }

    /// Marks the operation as started.
    ///
    /// - Parameter previous: the newest payment so far.
    func begin(after previous: Int64?) { state.withLock { ($0.hasBegun, $0.previous) = (true, previous) } }

    /// Takes the newest payment as its own, unless it existed before the operation.
    func adopt(_ newest: () -> Int64?) {
        guard state.withLock({ $0.hasBegun && $0.payment == nil }) else { return }
        let newest = newest()
        state.withLock { if newest != $0.previous { $0.payment = newest } }
    }

    func end(_ failure: SimulatedSessionError?) {
        state.withLock { ($0.isRunning, $0.failure) = (false, failure) }
    }
}

/// A request on its way to a session.
final class ArrivingRequest: Sendable {
    private let request: APIRequest
    private let state = Mutex(false)

    init(_ request: APIRequest) { self.request = request }

    /// Whether its turn has begun, in which it may have changed the session.
    var isTaken: Bool { state.withLock { $0 } }

    /// Returns the request, the first time.
    func take() -> APIRequest? {
        state.withLock { isTaken in
            defer { isTaken = true }
            return isTaken ? nil : request
        }
    }
}

/// A request that may have changed a session.
struct KeptRequest: Sendable {
    let request: APIRequest
    /// The number of events before it.
    let events: Int

    /// The path behind the session's ID, with the query.
    var place: String {
        String(request.target.dropFirst("/v1/sessions/".count).drop { $0 != "/" && $0 != "?" })
    }

    /// The body without what was typed on a PIN pad.
    var shownBody: String? {
        request.body.isEmpty || place.hasSuffix("/press") ? nil : String(decoding: request.body, as: UTF8.self)
    }
}
