import Concurrency
import Connections
import ISO8583
import Synchronization

/// One connection of a link, and what was read from it.
final class Wire: Sendable {
    private struct State {
        var frames: FrameReader
        var isReady = false
        /// Whether an echo was sent because of silence.
        var isProbed = false
        /// Whether the host has said that the terminal is signed off.
        var isSignedOff = false
        /// The keep-alive frames that the host has not answered.
        var unanswered = 0
        var isEnded = false
        var waiting: [FirstAnswer<Void, Never>] = []
    }

    let connection: any ByteConnection
    /// The reading of the clock at which it was made.
    let since: Duration
    private let state: Mutex<State>

    init(_ connection: any ByteConnection, _ format: FrameFormat, since: Duration) {
        (self.connection, self.since) = (connection, since)
        state = Mutex(State(frames: FrameReader(format)))
    }

    /// Whether the sign-on is accepted.
    var isReady: Bool {
        get { state.withLock { $0.isReady } }
        set { state.withLock { $0.isReady = newValue } }
    }

    var isProbed: Bool {
        get { state.withLock { $0.isProbed } }
        set { state.withLock { $0.isProbed = newValue } }
    }

    /// Whether the terminal has to sign on again before the next request.
    var isSignedOff: Bool {
        get { state.withLock { $0.isSignedOff } }
        set { state.withLock { $0.isSignedOff = newValue } }
    }

    func feed(_ bytes: [UInt8]) { state.withLock { $0.frames.feed(bytes) } }

    /// The next whole frame.
    func next() throws(FrameError) -> FrameReader.Content? {
        try state.withLock { (state) throws(FrameError) in try state.frames.next() }
    }

    /// What is wrong with a frame that has begun and is not complete; nil when there is none.
    var unfinished: FrameError? {
        state.withLock { state in
            do throws(FrameError) { try state.frames.finish() } catch { return error }
            return nil
        }
    }

    func countKeepAlive() { state.withLock { $0.unanswered += 1 } }

    /// Returns whether a keep-alive of the host answers one of this side.
    func takeAnswer() -> Bool {
        state.withLock { state in
            guard state.unanswered > 0 else { return false }
            state.unanswered -= 1
            return true
        }
    }

    /// Wakes those who wait for the end.
    func finish() {
        let waiting = state.withLock { state in
            state.isEnded = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for wait in waiting { wait.give(.success(())) }
    }

    /// Waits until the connection ends or the task is canceled.
    func waitForEnd() async {
        let wait = FirstAnswer<Void, Never>()
        let isEnded = state.withLock { state in
            if !state.isEnded { state.waiting.append(wait) }
            return state.isEnded
        }
        guard !isEnded else { return }
        _ = await withTaskCancellationHandler {
            await withCheckedContinuation { wait.wait($0) }
        } onCancel: {
            wait.give(.success(()))
        }
    }
}

/// The keys of the last requests, so that a late or a second answer differs from a foreign one.
struct RecentKeys {
    private static let most = 1024
    private var keys: Set<MessageKey> = []
    private var order: [MessageKey] = []

    func contains(_ key: MessageKey) -> Bool { keys.contains(key) }

    mutating func insert(_ key: MessageKey) {
        guard keys.insert(key).inserted else { return }
        order.append(key)
        guard order.count > 2 * Self.most else { return }
        for old in order.prefix(Self.most) { keys.remove(old) }
        order.removeFirst(Self.most)
    }
}
