internal import Synchronization

/// The wish to end a payment. It may come before there is a payment.
final class Cancellation: Sendable {
    private struct State {
        var isRequested = false
        var action: (@Sendable () async -> Void)?
    }

    private let state = Mutex(State())

    var isRequested: Bool { state.withLock { $0.isRequested } }

    /// Says what a request does from now on; one that came already does it now.
    func onRequest(_ action: @escaping @Sendable () async -> Void) async {
        let isRequested = state.withLock { state in
            state.action = action
            return state.isRequested
        }
        if isRequested { await action() }
    }

    /// Asks for the end, and returns when what was to be done about it is done.
    func request() async {
        let action = state.withLock { state in
            state.isRequested = true
            return state.action
        }
        await action?()
    }
}
