import HTTPInterface
import Synchronization

/// The operations of a session, of which one runs at a time, and the keys of the requests that started them.
final class SessionOperations: Sendable {
    /// The Idempotency-Key of a request, and its body.
    typealias Key = (name: String, body: [UInt8])

    /// A request to start a payment, kept so that a repetition does not start another one.
    private struct Start {
        let body: [UInt8]
        let operation: Operation
    }

    private struct State {
        var current: Operation?
        var starts: [String: Start] = [:]
        var isClosed = false
    }

    private static let mostKeys = 10_000

    private let session: String
    private let state = Mutex(State())

    /// - Parameter session: the ID of the session.
    init(session: String) { self.session = session }

    /// The newest operation, also when it has ended; nil before the first.
    var current: Operation? { state.withLock { $0.current } }

    /// The current operation while it runs; nil for none.
    var running: Operation? { current.flatMap { $0.isRunning ? $0 : nil } }

    /// Lets no other operation begin.
    func close() { state.withLock { $0.isClosed = true } }

    /// - Throws: ``APIError`` while an operation runs.
    func checkNoneRuns() throws(APIError) {
        guard let running else { return }
        throw APIError(
            409, "busy", "a \(running.kind.rawValue) is running in this session",
            fix: "let it finish, cancel it, or use another session")
    }

    /// Makes an operation the current one.
    ///
    /// - Throws: ``APIError``
    func register(_ operation: Operation, _ key: Key?) throws(APIError) {
        try state.withLock { state throws(APIError) in
            guard !state.isClosed else { throw SimulationService.noSession(session) }
            if let key {
                guard state.starts.count < Self.mostKeys else {
                    throw APIError(409, "session_full", "the session has \(Self.mostKeys) keys", fix: "reset it")
                }
                state.starts[key.name] = Start(body: key.body, operation: operation)
            }
            state.current = operation
        }
    }

    /// Returns the operation that a request with the same key started; nil for a new key.
    ///
    /// - Throws: ``APIError`` when the key belongs to another request.
    func earlier(_ key: Key) throws(APIError) -> Operation? {
        guard let known = state.withLock({ $0.starts[key.name] }) else { return nil }
        guard known.body == key.body else {
            throw APIError(
                422, "idempotency_key_reused", "this Idempotency-Key belongs to another request",
                fix: "use a new key for each payment")
        }
        return known.operation
    }

    /// Forgets a key whose request started nothing.
    func forget(_ key: Key?) {
        if let key { state.withLock { _ = $0.starts.removeValue(forKey: key.name) } }
    }
}
