import Sessions
import Synchronization

/// Those who play the sessions of an exploration and shrink its failures. Who they are has no effect on the report.
protocol ExplorationCrew: Sendable {
    /// Why they can't.
    associatedtype Failure: Error

    /// Plays sessions.
    ///
    /// - Parameters:
    ///   - sessions: the sessions.
    ///   - goesOn: asked after each result; false drops the sessions that are left.
    ///   - onResult: receives the number of results so far.
    /// - Returns: the results in order, as many as there are.
    /// - Throws: ``Failure``
    func play(
        _ sessions: [PlannedSession], goesOn: @escaping @Sendable () -> Bool,
        onResult: @escaping @Sendable (Int) -> Void
    ) async throws(Failure) -> [SessionObservation]

    /// Shrinks sessions.
    ///
    /// - Parameter broken: the sessions, each with its violation.
    /// - Returns: the failures in the order of the sessions.
    /// - Throws: ``Failure``
    func shrink(_ broken: [BrokenSession]) async throws(Failure) -> [FoundFailure]
}

/// Threads of this process.
struct ThreadCrew: ExplorationCrew {
    let workshop: SessionWorkshop
    let jobs: Int

    func play(
        _ sessions: [PlannedSession], goesOn: @escaping @Sendable () -> Bool,
        onResult: @escaping @Sendable (Int) -> Void
    ) async throws(Never) -> [SessionObservation] {
        let taken = Taken<SessionObservation>()
        await SessionPool(jobs: jobs).run(sessions.count) { [workshop] number in
            workshop.observation(of: sessions[number])
        } take: { _, observation in
            onResult(taken.add([observation]))
            return goesOn()
        }
        return taken.all
    }

    func shrink(_ broken: [BrokenSession]) async throws(Never) -> [FoundFailure] {
        await SessionPool(jobs: jobs).run(broken.count) { [workshop] number in workshop.shrunk(broken[number]) }
    }
}

/// Workers that a dispatcher reaches, each of which has an ``ExplorationWorker``.
struct DispatchedCrew<Dispatcher: BatchDispatching>: ExplorationCrew {
    let dispatcher: Dispatcher
    let isTraced: Bool

    func play(
        _ sessions: [PlannedSession], goesOn: @escaping @Sendable () -> Bool,
        onResult: @escaping @Sendable (Int) -> Void
    ) async throws(Dispatcher.Failure) -> [SessionObservation] {
        let parts = ExplorationBatch.parts(of: sessions)
        let batches = parts.map { ExplorationBatch.play($0, isTraced: isTraced).bytes }
        let taken = Taken<SessionObservation>()
        try await dispatcher.dispatch(batches) { number, bytes in
            guard case .played(let observations) = ExplorationResult(bytes), observations.count == parts[number].count
            else { return .unreadable }
            for observation in observations {
                onResult(taken.add([observation]))
                guard goesOn() else { return .stop }
            }
            return .next
        }
        return taken.all
    }

    func shrink(_ broken: [BrokenSession]) async throws(Dispatcher.Failure) -> [FoundFailure] {
        let taken = Taken<FoundFailure>()
        try await dispatcher.dispatch(broken.map { ExplorationBatch.shrink($0).bytes }) { _, bytes in
            guard case .shrunk(let failure) = ExplorationResult(bytes) else { return .unreadable }
            _ = taken.add([failure])
            return .next
        }
        return taken.all
    }
}

/// Does batches of an exploration that another process plans.
public struct ExplorationWorker: Sendable {
    private let workshop: SessionWorkshop

    /// - Parameter explorer: has the seed of the exploration, the folder for files, and what judges sessions.
    public init(_ explorer: Explorer) { workshop = explorer.workshop(isTraced: false) }

    /// Does a batch on the calling thread.
    ///
    /// - Parameters:
    ///   - batch: the bytes of the batch.
    ///   - isWanted: asked between the sessions that are played; false gives the batch up.
    /// - Returns: the bytes of the result, the same for the same batch; nil when it was given up.
    /// - Throws: ``UnreadableBatch``
    public func result(
        of batch: [UInt8], isWanted: @escaping () -> Bool = { true }
    ) throws(UnreadableBatch) -> [UInt8]? {
        switch try ExplorationBatch(batch) {
        case .play(let sessions, let isTraced):
            var workshop = workshop
            workshop.play.isTraced = isTraced
            var observations: [SessionObservation] = []
            for session in sessions {
                guard isWanted() else { return nil }
                observations.append(workshop.observation(of: session))
            }
            return ExplorationResult.played(observations).bytes
        case .shrink(let broken):
            let failure = workshop.shrunk(broken, isWanted: isWanted)
            return isWanted() ? ExplorationResult.shrunk(failure).bytes : nil
        }
    }
}

/// The bytes are no batch that this program knows.
public struct UnreadableBatch: Error, Hashable, Sendable, CustomStringConvertible {
    public var description: String { "the batch can't be read: another version of the program has made it" }
}

/// Work for a worker.
enum ExplorationBatch: Hashable, Sendable, Codable {
    case play([PlannedSession], isTraced: Bool)
    case shrink(BrokenSession)

    /// The most sessions of a batch. The time of many makes up for the way of the batch, and few keep all workers busy
    /// until the end of the round.
    private static let mostSessions = 16
    /// The number of batches of a round with few sessions.
    private static let batches = 32

    /// Divides the sessions of a round.
    static func parts(of sessions: [PlannedSession]) -> [[PlannedSession]] {
        let length = min(max(1, sessions.count / batches), mostSessions)
        return stride(from: 0, to: sessions.count, by: length).map {
            Array(sessions[$0..<min($0 + length, sessions.count)])
        }
    }

    var bytes: [UInt8] { BatchCoding.bytes(self) }

    init(_ bytes: [UInt8]) throws(UnreadableBatch) {
        guard let batch = BatchCoding.value(bytes, as: Self.self) else { throw UnreadableBatch() }
        self = batch
    }
}

/// The result of a batch.
enum ExplorationResult: Hashable, Sendable, Codable {
    case played([SessionObservation])
    case shrunk(FoundFailure)

    var bytes: [UInt8] { BatchCoding.bytes(self) }

    init?(_ bytes: [UInt8]) {
        guard let result = BatchCoding.value(bytes, as: Self.self) else { return nil }
        self = result
    }
}

/// Results in the order in which they were taken.
private final class Taken<Element: Sendable>: Sendable {
    private let elements = Mutex<[Element]>([])

    var all: [Element] { elements.withLock { $0 } }

    /// Returns the number of elements.
    func add(_ more: [Element]) -> Int {
        elements.withLock { elements in
            elements += more
            return elements.count
        }
    }
}
