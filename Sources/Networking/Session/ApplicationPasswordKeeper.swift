internal import Synchronization

/// Holds the application password of a session, and gets a new one when the site refuses it: once, however many
/// requests are refused at the same time. The others wait for it.
final class ApplicationPasswordKeeper: Sendable {
    private typealias Result = Swift.Result<ApplicationPassword, NetworkError>

    private struct State {
        var password: ApplicationPassword?
        /// The run of the issuer that others wait for.
        var renewal: Task<Result, Never>?
    }

    private let state: Mutex<State>
    private let issuer: (any ApplicationPasswordIssuing)?

    init(_ password: ApplicationPassword?, issuer: (any ApplicationPasswordIssuing)?) {
        state = Mutex(State(password: password))
        self.issuer = issuer
    }

    var canRenew: Bool { issuer != nil }

    /// The password, made now if there is none.
    func current() async throws(NetworkError) -> ApplicationPassword {
        if let password = state.withLock({ $0.renewal == nil ? $0.password : nil }) { return password }
        return try await renewed(insteadOf: nil)
    }

    /// A password other than `refused`.
    func renewed(insteadOf refused: ApplicationPassword?) async throws(NetworkError) -> ApplicationPassword {
        guard let issuer else { throw .missingCredentials("there is no application password: sign in again") }
        let running: Task<Result, Never>? = state.withLock { state in
            if let renewal = state.renewal { return renewal }
            // Somebody else has renewed it since this request was sent.
            if let password = state.password, password != refused { return nil }
            let renewal = Task { await self.renew(with: issuer) }
            state.renewal = renewal
            return renewal
        }
        guard let running else { return try await current() }
        return try await running.value.get()
    }

    private func renew(with issuer: any ApplicationPasswordIssuing) async -> Result {
        let result: Result
        do throws(NetworkError) { result = .success(try await issuer.makePassword()) } catch {
            result = .failure(error)
        }
        state.withLock { state in
            state.renewal = nil
            if case .success(let password) = result { state.password = password }
        }
        return result
    }
}
