import NIOCore
import Synchronization

/// The connections of a server, so that it can end without cutting off a request: the ones without a request are
/// closed, and each other one after its response.
final class HTTPTraffic: Sendable {
    private struct State {
        var isEnding = false
        /// The connections that wait for a request.
        var resting: [ObjectIdentifier: any Channel] = [:]
    }

    private let state = Mutex(State())

    /// Whether connections are closed after their response.
    var isEnding: Bool { state.withLock { $0.isEnding } }

    /// Takes note of a connection that waits for a request.
    ///
    /// - Returns: false when the server is ending; the connection is to be closed then.
    func rest(_ channel: any Channel) -> Bool {
        state.withLock { state in
            guard !state.isEnding else { return false }
            state.resting[ObjectIdentifier(channel)] = channel
            return true
        }
    }

    /// Takes note that a request arrives, or that the connection has ended.
    func leave(_ channel: any Channel) {
        state.withLock { _ = $0.resting.removeValue(forKey: ObjectIdentifier(channel)) }
    }

    /// Closes the connections without a request, now and from now on.
    func end() {
        let resting = state.withLock { state in
            state.isEnding = true
            defer { state.resting = [:] }
            return state.resting.values.map(\.self)
        }
        for channel in resting { channel.close(promise: nil) }
    }
}
