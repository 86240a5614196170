import Foundation
import Sessions
import Synchronization
import Testing

@testable import Explorer

/// Workers that do the last batch first, and each batch twice.
private struct BackwardDispatcher: BatchDispatching {
    let worker: ExplorationWorker
    /// Damages the result of the first batch.
    var isDamaging = false

    enum Failure: Error, Equatable {
        case unreadable(Int)
        case differs
    }

    func dispatch(
        _ batches: [[UInt8]], take: @escaping @Sendable (Int, [UInt8]) -> ResultAnswer
    ) async throws(Failure) {
        let count = batches.count
        let results = await SessionPool(jobs: 1).run(2 * count) { [worker] number in
            try? worker.result(of: batches[(2 * count - 1 - number) / 2])
        }
        for number in 0..<count {
            let (first, second) = (results[2 * (count - 1 - number)], results[2 * (count - 1 - number) + 1])
            guard let first, first == second else { throw .differs }
            switch take(number, isDamaging && number == 0 ? Array(first.dropLast()) : first) {
            case .next: continue
            case .stop: return
            case .unreadable: throw .unreadable(number)
            }
        }
    }
}

struct SharedExplorationTests {
    private func encoded(_ report: ExplorationReport) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return String(decoding: try encoder.encode(report), as: UTF8.self)
    }

    /// As if a payment that was reversed were forbidden.
    private func explorer(sessions: Int, round: Int = Explorer.standardRound) -> Explorer {
        var explorer = Explorer(seed: 5, sessions: sessions, jobs: 2, round: round, folder: scratchFolder())
        explorer.judge = { record in
            record.attempts.contains { $0.state == "reversed" }
                ? [Violation(.booksAgree, "payment 7 was reversed")] : []
        }
        return explorer
    }

    @Test func `the report has the same bytes as that of threads, also with failures that are shrunk`() async throws {
        let explorer = explorer(sessions: 40, round: 32)
        let alone = await explorer.run()
        let shared = try await explorer.run(on: BackwardDispatcher(worker: ExplorationWorker(explorer)))
        #expect(alone.hasFailed)
        #expect(try encoded(shared) == (try encoded(alone)))
    }

    @Test func `traces come in the order of the sessions, as with threads`() async throws {
        func traces(_ run: (Explorer) async throws -> Void) async throws -> [String] {
            let lines = TraceLines()
            var explorer = explorer(sessions: 12)
            explorer.onTrace = { number, events in lines.add("\(number): \(events)") }
            try await run(explorer)
            return lines.all
        }
        let alone = try await traces { _ = await $0.run() }
        let shared = try await traces { explorer in
            _ = try await explorer.run(on: BackwardDispatcher(worker: ExplorationWorker(explorer)))
        }
        #expect(alone.count == 12)
        #expect(shared == alone)
    }

    @Test func `a round of another length plans other sessions, and the same ones with workers`() async throws {
        let explorer = explorer(sessions: 20, round: 8)
        let alone = await explorer.run()
        #expect(alone.growth.map(\.sessions) == [8, 16, 20])
        let shared = try await explorer.run(on: BackwardDispatcher(worker: ExplorationWorker(explorer)))
        #expect(try encoded(shared) == (try encoded(alone)))
        #expect(await self.explorer(sessions: 20).run().states != alone.states)
    }

    @Test func `results that can't be read end the search, and a search that ends early needs no more of them`()
        async throws
    {
        let explorer = explorer(sessions: 8)
        let worker = ExplorationWorker(explorer)
        await #expect(throws: BackwardDispatcher.Failure.unreadable(0)) {
            _ = try await explorer.run(on: BackwardDispatcher(worker: worker, isDamaging: true))
        }
        let ended = try await explorer.run(on: BackwardDispatcher(worker: worker), goesOn: { false })
        #expect(ended.sessions == 0)
    }

    @Test func `a batch has everything that its sessions need, and other bytes are no batch`() throws {
        let draft = SessionDraft(
            setup: [DraftEntry("site", ["unpaid": ["25.00"]]), DraftEntry("twice", "a"), DraftEntry("twice", [])],
            steps: [
                "connect", ["pay": ["amount": "1.00"], "during": [["on": "waiting", "do": "crash"]]], .mapping([]),
            ])
        let session = PlannedSession(number: 7, seed: .max, draft: draft, isVariation: true)
        let batch = ExplorationBatch.play([session, session], isTraced: true)
        #expect(try ExplorationBatch(batch.bytes) == batch)
        let broken = ExplorationBatch.shrink(
            BrokenSession(session: session, violation: Violation(.oneCharge, "\"quoted\"\n")))
        #expect(try ExplorationBatch(broken.bytes) == broken)
        let worker = ExplorationWorker(explorer(sessions: 1))
        #expect(try worker.result(of: batch.bytes, isWanted: { false }) == nil)
        for bytes in [[], Array("{}".utf8), Array(batch.bytes.dropLast()), Array("{\"play\":{\"_0\":[1]}}".utf8)] {
            #expect(throws: UnreadableBatch.self) { try worker.result(of: bytes) }
        }
    }

    @Test func `a round is divided into batches that keep many workers busy`() {
        let session = PlannedSession(number: 0, seed: 1, draft: SessionDraft(), isVariation: false)
        func lengths(_ count: Int) -> [Int] {
            ExplorationBatch.parts(of: Array(repeating: session, count: count)).map(\.count)
        }
        #expect(lengths(3) == [1, 1, 1])
        #expect(lengths(64) == Array(repeating: 2, count: 32))
        #expect(lengths(70) == Array(repeating: 2, count: 35))
        #expect(lengths(8192).count == 512)
        #expect(lengths(0) == [])
    }
}

/// Lines that a run writes.
private final class TraceLines: Sendable {
    private let lines = Mutex<[String]>([])

    var all: [String] { lines.withLock { $0 } }

    func add(_ line: String) { lines.withLock { $0.append(line) } }
}
