public import Networking
internal import Synchronization

/// Sends the requests of one session, and notices when its credentials are no good any more.
public final class SessionSender: RequestSending {
    private enum State { case open, refused, ended }

    private let sender: any RequestSending
    private let isDirect: Bool
    private let onRefusal: @Sendable (ServiceError) -> Void
    private let state = Mutex(State.open)

    /// - Parameters:
    ///   - sender: what really sends; it has renewed what it could before it tells of a refusal.
    ///   - credentials: those that it sends with.
    ///   - onRefusal: called once, however many requests are refused.
    public init(
        _ sender: any RequestSending, credentials: Credentials, onRefusal: @escaping @Sendable (ServiceError) -> Void
    ) {
        (self.sender, isDirect, self.onRefusal) = (sender, credentials.directSite != nil, onRefusal)
    }

    public func send(_ request: any Request) async throws(NetworkError) -> Response {
        // What began in a session must not go on in the name of the next one.
        guard state.withLock({ $0 != .ended }) else { throw .missingCredentials("the session has ended") }
        do throws(NetworkError) {
            return try await sender.send(request)
        } catch {
            if case .service(let service) = error, isRefusal(service) { tell(service) }
            throw error
        }
    }

    /// Sends nothing any more.
    public func end() { state.withLock { $0 = .ended } }

    /// A site answers 401 to credentials alone. WordPress.com says "unauthorized" of much that a user may not do.
    private func isRefusal(_ error: ServiceError) -> Bool {
        isDirect ? error.status == 401 && error.kind == .unauthorized : error.kind == .invalidToken
    }

    private func tell(_ error: ServiceError) {
        let isFirst = state.withLock { state in
            defer { if state == .open { state = .refused } }
            return state == .open
        }
        if isFirst { onRefusal(error) }
    }
}
