import Cryptography
import Sessions
import Synchronization
import Text

/// A hash of a session's events, to compare a repetition with: each event is hashed with the hash of those before it.
final class EventHash: Sendable {
    private struct State {
        var count = 0
        var value = [UInt8](repeating: 0, count: SHA256.length)
    }

    private let state = Mutex(State())

    /// Returns the hash of the events in hexadecimal digits. Only those since the last call are hashed.
    ///
    /// - Parameter events: the session's events from the first one on.
    /// - Returns: the hash; nil when libcrypto fails.
    func text(of events: [SessionEvent]) -> String? {
        state.withLock { state in
            // Two requests may come with different numbers of events.
            if events.count < state.count { state = State() }
            for event in events.dropFirst(state.count) {
                let line = "\(event.milliseconds) \(event.text)\n"
                guard let value = try? SHA256.hash(state.value + Array(line.utf8)) else { return nil }
                state = State(count: state.count + 1, value: value)
            }
            return String(decoding: state.value.lowercaseHexadecimalDigits, as: UTF8.self)
        }
    }
}
