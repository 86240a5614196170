import Payments
import Terminal
import Testing

@testable import ZVT

/// Reversals that do not reach the host, and are tried again while the terminal runs.
struct OwedReversalTests {
    private typealias Bench = ZVTBench

    private static let question = "0620050000000303"

    /// A sale whose till is gone, and whose reversal has begun.
    private func abandoned() throws -> Bench {
        var bench = try Bench()
        _ = try bench.register() + bench.authorize()
        _ = try bench.finish(Bench.approval())
        _ = bench.disconnect()
        try #require(bench.begun.count == 2)
        return bench
    }

    /// The running reversal does not reach the host.
    private func fail(_ bench: inout Bench) throws {
        _ = try bench.report(.working)
        #expect(try bench.finish(.failed(.hostUnreachable)) == [])
    }

    @Test func `a reversal that did not reach the host comes again after pauses that double up to a minute`() throws {
        var bench = try abandoned()
        let reversal = bench.begun.last
        for (tries, seconds) in [5, 10, 20, 40, 60, 60].enumerated() {
            try fail(&bench)
            #expect(bench.timers[.reversal] == .seconds(seconds) && !bench.zvt.isInDialog)
            #expect(bench.fire(.reversal) == [])
            #expect(bench.begun.count == tries + 3 && bench.begun.last == reversal)
        }
        _ = try bench.report(.working)
        _ = try bench.finish(Bench.reversal())
        #expect(bench.timers.isEmpty && bench.model.holder == nil)
        #expect(bench.model.lastTransaction(of: TillID(rawValue: "till")) == nil)
    }

    @Test func `tills wait while it is tried, and it waits for the end of their commands`() throws {
        var bench = try abandoned()
        try fail(&bench)
        bench.connect()
        #expect(bench.till(Bench.sale) == ["800000"])
        #expect(bench.fire(.reversal) == [])
        #expect(bench.begun.last?.needsCard == true && bench.timers[.reversal] == .seconds(5))
        for step in [TerminalProgress.waitingForCard, .cardPresented, .authorizing, .removingCard] {
            _ = try bench.report(step) + bench.acknowledgeAll()
        }
        _ = try bench.finish(Bench.approval(18)) + bench.acknowledgeAll()
        _ = bench.fire(.reversal)
        #expect(bench.begun.last?.needsCard == false)
        #expect(bench.till(Bench.sale) == ["849c00"])
        _ = try bench.report(.working)
        _ = try bench.finish(Bench.reversal())
        #expect(bench.till(Bench.sale) == ["800000"])
    }

    @Test func `a payment that its till was shown meanwhile stands`() throws {
        var bench = try abandoned()
        try fail(&bench)
        bench.connect()
        #expect(bench.till(Self.question).last?.hasPrefix("040f") == true)
        _ = bench.acknowledgeAll()
        #expect(bench.fire(.reversal) == [])
        #expect(bench.begun.count == 2 && bench.timers[.reversal] == nil)
    }

    @Test func `a failure that another try would not change ends it`() throws {
        var bench = try abandoned()
        _ = try bench.report(.working)
        _ = try bench.finish(.failed(.alreadyReversed))
        #expect(bench.timers[.reversal] == nil && bench.fire(.reversal) == nil)
    }
}
