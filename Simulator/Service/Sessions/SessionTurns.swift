import Determinism
import HTTPInterface
import Sessions
import Synchronization

/// The turns of a served session: each lets simulated time pass as far as its work and the session's operation need.
///
/// Keeps the requests whose turns changed the session, and the work that a pause interrupted.
final class SessionTurns: Sendable {
    private struct State {
        /// The session's time when the current turn began, or the last one.
        var start: Timestamp
        /// Work that a pause interrupted.
        var interrupted: [PausableWork] = []
        var requests: [KeptRequest] = []
    }

    /// How far time passes in a turn.
    enum Passage {
        /// Not at all: the turn only reads, and its request need not be kept.
        case none
        /// As far as the work and the current operation need.
        case asNeeded
        /// By a duration, even while a person must act, and then as far as the current operation needs.
        case atLeast(Duration)
    }

    /// The request that the current task carries out, if it may change a session. It is kept when its turn begins:
    /// requests that come at the same time begin in any order.
    @TaskLocal static var arriving: ArrivingRequest?

    private let kept: KeptSession
    private let gate: EventGate
    private let committed: CommittedPayments
    private let meter: SessionMeter
    private let longestStep: Duration
    private let state: Mutex<State>

    /// The most requests that are kept to repeat the session.
    private static let mostRequests = 10_000

    init(
        _ kept: KeptSession, gate: EventGate, committed: CommittedPayments, meter: SessionMeter, start: Timestamp,
        longestStep: Duration
    ) {
        (self.kept, self.gate, self.committed, self.meter) = (kept, gate, committed, meter)
        self.longestStep = longestStep
        state = Mutex(State(start: start))
    }

    /// Runs `body` in the session while time passes.
    ///
    /// - Parameters:
    ///   - passage: how far time passes.
    ///   - onBegin: called when the turn begins, before anything else in it.
    ///   - look: called each time that all tasks wait.
    ///   - isOperating: whether the session's operation is under way, for which time passes.
    ///   - body: the work to do. It never begins if the gate closes before.
    /// - Returns: the value of `body`; nil when it is still waiting, and when the session paused.
    func run<Value: Sendable>(
        passing passage: Passage, onBegin: @escaping @Sendable () -> Void,
        whenQuiet look: @escaping @Sendable () -> Void,
        isOperating: @escaping @Sendable () -> Bool, _ body: @escaping @Sendable (SimulatedSession) async -> Value
    ) async -> Value? {
        let keepsRequest = if case .none = passage { false } else { true }
        let arriving = keepsRequest ? Self.arriving : nil
        let work = PausableWork()
        let mayHold: @Sendable () -> Bool = { [gate, committed] in
            guard gate.isArmed else { return false }
            committed.update()
            return true
        }
        let value = await kept.turn(
            until: { [weak self, meter] isOver in
                look()
                let moment = self?.limit(of: passage, isOver: isOver, isOperating: isOperating)
                if moment == nil { meter.rest() }
                return moment
            },
            onBegin: { [weak self] in
                self?.begin()
                onBegin()
            }, pausedBy: { [gate] in gate.isClosed }, mayHold: mayHold
        ) { [weak self] session -> Value? in
            guard work.begin() else { return nil }
            if let request = arriving?.take() { self?.keep(request) }
            defer { work.end() }
            return await body(session)
        }
        if value == nil {
            work.abandon()
            if gate.isClosed { noteInterrupted(work) }
        }
        return value.flatMap(\.self)
    }

    /// Returns the latest moment to which time may pass in the current turn. It depends only on what happened in the
    /// session: not on requests that wait for their turn.
    private func limit(of passage: Passage, isOver: Bool, isOperating: () -> Bool) -> Timestamp? {
        var start = state.withLock { $0.start }
        switch passage {
        case .none: return nil
        case .asNeeded: break
        case .atLeast(let duration):
            start = start.advanced(by: duration)
            if !isOver { return start }
        }
        guard !isOver || isOperating() || hasInterruptedWork else { return nil }
        return kept.session.callerDeadline ?? start.advanced(by: longestStep)
    }

    private func begin() {
        let now = kept.session.now
        state.withLock { $0.start = now }
    }

    private func noteInterrupted(_ work: PausableWork) {
        state.withLock { state in
            state.interrupted.removeAll { !$0.isUnderWay }
            if work.isUnderWay { state.interrupted.append(work) }
        }
    }

    /// Whether the work of an earlier request, which a pause interrupted, has not ended.
    private var hasInterruptedWork: Bool { state.withLock { $0.interrupted.contains { $0.isUnderWay } } }

    // MARK: Requests

    /// Keeps a request that may change the session, so that the session can be repeated.
    private func keep(_ request: APIRequest) {
        let kept = KeptRequest(request: request, events: kept.session.events.count)
        state.withLock { if !gate.isClosed, $0.requests.count <= Self.mostRequests { $0.requests.append(kept) } }
    }

    /// The requests that changed the session, in order.
    ///
    /// - Throws: ``APIError`` when there were too many to keep.
    func keptRequests() throws(APIError) -> [KeptRequest] {
        let requests = state.withLock { $0.requests }
        guard requests.count <= Self.mostRequests else {
            throw APIError(
                409, "too_long", "only sessions with up to \(Self.mostRequests) requests can be repeated",
                fix: "reset the session")
        }
        return requests
    }
}
