import Connections
import Determinism
import Synchronization
import TestPostgreSQL
import Testing

@testable import PostgreSQL

/// A clock on which the pauses of a link are over at once, and waits for an answer never end.
private final class PauseClock: TimeSource {
    private let elapsed = Mutex(Duration.zero)

    func now() -> Timestamp { VirtualTimeSource.standardStart.advanced(by: reading()) }
    func reading() -> Duration { elapsed.withLock { $0 } }
    func offsetSeconds(at moment: Timestamp) -> Int { 0 }

    func sleep(for duration: Duration) async throws(CancellationError) {
        // The longest pause.
        guard duration > .seconds(2) else { return advance(by: duration) }
        do { try await Task.sleep(for: .seconds(3600)) } catch { throw CancellationError() }
    }

    func advance(by duration: Duration) { elapsed.withLock { $0 += duration } }
}

struct LinkTests {
    private let clock = PauseClock()
    private let outage = PostgreSQLOutage()
    private let patience = PostgreSQLPatience(statement: .seconds(10), outage: .seconds(15))

    private func link(_ address: String) throws -> PostgreSQLLink {
        PostgreSQLLink(to: try PostgreSQLAddress(address), time: clock, patience: patience, outage: outage)
    }

    /// A database that is not there: there is no such socket.
    private func lost() throws -> PostgreSQLLink { try link("host=/nonexistent dbname=x user=x connect_timeout=5") }

    @Test func `all calls wait for one end of an outage, and later ones try once`() async throws {
        for link in [try lost(), try lost(), try lost()] {
            for _ in 0..<2 {
                let error = await failure { try await link.run([Statement("SELECT 1")]) }
                guard case .notConnected = error?.reason else {
                    Issue.record("\(String(describing: error))")
                    return
                }
            }
        }
        // One outage, and not one for each link.
        #expect(clock.reading() > .seconds(12))
        #expect(clock.reading() <= .seconds(15))
        let before = clock.reading()
        _ = await failure { try await lost().run([Statement("SELECT 1")]) }
        #expect(clock.reading() == before)
    }

    @Test func `a try has the rest of the outage, at least three seconds, and an answer ends it`() {
        #expect(outage.deadline(patience, on: clock).reading == .seconds(10))
        #expect(outage.begin(.zero) == .zero)
        clock.advance(by: .seconds(9))
        #expect(outage.begin(clock.reading()) == .zero)
        #expect(outage.deadline(patience, on: clock).reading == .seconds(15))
        clock.advance(by: .seconds(60))
        #expect(outage.deadline(patience, on: clock).reading == clock.reading() + .seconds(3))
        outage.end()
        #expect(outage.deadline(patience, on: clock).reading == clock.reading() + .seconds(10))
    }

    @Test(.enabled(if: TemporaryPostgreSQL.isUsed, Comment(rawValue: TemporaryPostgreSQL.missing)))
    func `a connection from before a long outage is made again at once`() async throws {
        try await TemporaryPostgreSQL.running { server in
            let (first, second) = (try link(server.address()), try link(server.address()))
            for link in [first, second] { try await link.run([Statement("SELECT 1")]) }
            try await server.crash()
            #expect(await failure { try await first.run([Statement("SELECT 1")]) } != nil)
            #expect(clock.reading() > .seconds(12))
            clock.advance(by: .seconds(60))
            try await server.restart()
            // Its connection ended with the server, and the outage has been too long for a pause and another try.
            try await second.run([Statement("SELECT 1")])
            try await first.run([Statement("SELECT 1")])
            for link in [first, second] { await link.close() }
        }
    }
}
