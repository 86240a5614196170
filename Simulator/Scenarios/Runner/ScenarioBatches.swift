public import Sessions
import Synchronization

/// Some runs of a list that the coordinator and its workers both have, by their places in it.
struct ScenarioBatch: Hashable, Sendable, Codable {
    var places: [Int]
    var keepsEvents: Bool
    var isTraced: Bool
    var mostTurns: Int?

    /// The most runs of a batch, and the number of batches for few runs.
    private static let mostRuns = 16
    private static let batches = 64

    /// Divides a number of runs.
    static func parts(of count: Int) -> [[Int]] {
        let length = min(max(1, count / batches), mostRuns)
        return stride(from: 0, to: count, by: length).map { Array($0..<min($0 + length, count)) }
    }
}

/// A result as a worker tells it, with what is not part of reports.
struct DispatchedResult: Hashable, Sendable, Codable {
    var result: ScenarioResult
    var sessionEvents: [SessionEvent]?
    var traced: [TracedEvent]
}

/// The bytes are no batch that this program knows, or one of another list of scenarios.
public struct UnreadableScenarioBatch: Error, Hashable, Sendable, CustomStringConvertible {
    public var description: String { "the batch can't be read: another version of the program has made it" }
}

extension ScenarioRunner {
    /// Runs all scenarios with workers elsewhere, each of which calls ``result(of:from:isWanted:)``. The report is the
    /// same as that of ``run(_:seed:onResult:)``. The duration of a result is that of its virtual clock, because the
    /// clocks of workers tell nothing about each other.
    ///
    /// - Parameters:
    ///   - runs: the scenarios to run, which the workers have, too.
    ///   - seed: the seed of the run, for the report.
    ///   - dispatcher: the way to the workers.
    ///   - onResult: receives each result in the order of `runs`, one at a time.
    /// - Returns: the report.
    /// - Throws: the error of the dispatcher.
    public func run<Dispatcher: BatchDispatching>(
        _ runs: [ScenarioSelection.Run], seed: UInt64, on dispatcher: Dispatcher,
        onResult: @escaping @Sendable (ScenarioResult) -> Void = { _ in }
    ) async throws(Dispatcher.Failure) -> RunReport {
        let report = SharedReport(RunReport(seed: seed))
        let parts = ScenarioBatch.parts(of: runs.count)
        let batches = parts.map { places in
            BatchCoding.bytes(
                ScenarioBatch(
                    places: places, keepsEvents: keepsEvents, isTraced: onTrace != nil, mostTurns: mostTurns))
        }
        try await dispatcher.dispatch(batches) { number, bytes in
            guard let results = BatchCoding.value(bytes, as: [DispatchedResult].self),
                results.count == parts[number].count
            else { return .unreadable }
            for (place, dispatched) in zip(parts[number], results) {
                let run = runs[place]
                var result = dispatched.result
                guard result.name == run.name, result.seed == run.seed else { return .unreadable }
                result.sessionEvents = dispatched.sessionEvents
                report.add(result)
                onTrace?(run.name, run.seed, dispatched.traced)
                onResult(result)
                if stopsAtFailure && result.isFailure { return .stop }
            }
            return .next
        }
        return report.finished(of: runs.count)
    }

    /// Does a batch of a run on the calling thread.
    ///
    /// - Parameters:
    ///   - batch: the bytes of the batch.
    ///   - runs: the list of runs that the coordinator has, too.
    ///   - isWanted: asked between scenarios; false gives the batch up.
    /// - Returns: the bytes of the result, the same for the same batch; nil when it was given up.
    /// - Throws: ``UnreadableScenarioBatch``
    public static func result(
        of batch: [UInt8], from runs: [ScenarioSelection.Run], isWanted: () -> Bool = { true }
    ) throws(UnreadableScenarioBatch) -> [UInt8]? {
        guard let batch = BatchCoding.value(batch, as: ScenarioBatch.self),
            batch.places.allSatisfy(runs.indices.contains)
        else { throw UnreadableScenarioBatch() }
        var results: [DispatchedResult] = []
        for place in batch.places {
            guard isWanted() else { return nil }
            let traced = KeptTrace()
            var runner = ScenarioRunner(keepsEvents: batch.keepsEvents)
            runner.mostTurns = batch.mostTurns
            if batch.isTraced { runner.onTrace = { _, _, events in traced.keep(events) } }
            let result = runner.result(of: runs[place])
            results.append(
                DispatchedResult(result: result, sessionEvents: result.sessionEvents, traced: traced.events))
        }
        return BatchCoding.bytes(results)
    }
}

/// The trace of one session.
private final class KeptTrace: Sendable {
    private let kept = Mutex<[TracedEvent]>([])

    var events: [TracedEvent] { kept.withLock { $0 } }

    func keep(_ events: [TracedEvent]) { kept.withLock { $0 = events } }
}
