import Determinism
import Payments
import Terminal
import Testing

@testable import ZVT

/// A terminal that stopped at some point of a sale, and starts again with what it kept.
struct RestartTests {
    private typealias Bench = ZVTBench

    private static let question = "0620050000000303"

    /// A bench whose changes are kept, as an owner does.
    private struct Diary {
        var bench: Bench
        private var diary = RequestDiary()

        init() throws { bench = try Bench(model: TerminalModel(kept: [], offset: 0, reader: nil)) }

        mutating func keep() {
            let changes = bench.model.takeChanges().map { change in
                var change = change
                change.note = bench.zvt.note(for: change)
                return change
            }
            diary.keep(changes, at: Timestamp(Bench.noon))
        }

        var requests: [KeptRequest] { diary.requests }

        /// The next start, with how an open request ended.
        func restarted(_ outcome: TerminalOutcome? = nil) throws -> Bench {
            let requests = diary.requests(endingWith: outcome)
            var next = try Bench(model: TerminalModel(kept: requests, offset: 0, reader: nil))
            _ = next.takeUp(requests)
            return next
        }
    }

    private func sold(_ command: String = Bench.sale) throws -> Diary {
        var diary = try Diary()
        _ = diary.bench.register()
        _ = diary.bench.till(command)
        diary.keep()
        for step in [TerminalProgress.waitingForCard, .cardPresented, .authorizing, .removingCard] {
            _ = try diary.bench.report(step) + diary.bench.acknowledgeAll()
        }
        return diary
    }

    @Test func `a sale that the host approved before the crash is reversed, and the till finds nothing paid`() throws {
        let diary = try sold()
        let sale = diary.bench.key
        var next = try diary.restarted(try Bench.approval())
        #expect(next.begun == [.reversal(of: .request(sale))])
        #expect(next.till(Self.question) == ["849c00"])
        _ = try next.report(.working)
        _ = try next.finish(Bench.reversal())
        #expect(next.till(Self.question) == ["800000", "061e0183"])
    }

    @Test func `a sale whose status information the till did not acknowledge is reversed once`() throws {
        var diary = try sold()
        _ = try diary.bench.finish(Bench.approval())
        diary.keep()
        diary.bench = try diary.restarted()
        #expect(diary.bench.begun.count == 1)
        diary.keep()
        _ = try diary.bench.report(.working)
        _ = try diary.bench.finish(Bench.reversal())
        diary.keep()
        // Everything is settled by now.
        #expect(try diary.restarted().begun.isEmpty)
    }

    @Test func `a sale that the till acknowledged stands, and repeat receipt shows it`() throws {
        var diary = try sold()
        _ = try diary.bench.finish(Bench.approval())
        _ = diary.bench.till(Bench.acknowledgment)
        diary.keep()
        var next = try diary.restarted()
        #expect(next.begun.isEmpty)
        #expect(next.till(Self.question).first == "800000")
        #expect(next.model.lastTransaction(of: TillID(rawValue: "till"))?.request.key == diary.bench.key)
    }

    @Test(arguments: [false, true])
    func `a sale whose reversal failed is reversed by the next start, unless the till was told that it stands`(
        _ asks: Bool
    ) throws {
        var diary = try sold()
        _ = try diary.bench.finish(Bench.approval())
        let sale = diary.bench.key
        _ = diary.bench.disconnect()
        _ = try diary.bench.report(.working)
        _ = try diary.bench.finish(.failed(.hostUnreachable))
        diary.keep()
        diary.bench.connect()
        if asks {
            #expect(diary.bench.till(Self.question).last?.hasPrefix("040f") == true)
            diary.keep()
            #expect(try diary.restarted().begun == [.reversal(of: .request(sale))])
            #expect(diary.bench.till(Bench.acknowledgment).last?.hasPrefix("060f") == true)
            diary.keep()
        }
        #expect(try diary.restarted().begun == (asks ? [] : [.reversal(of: .request(sale))]))
    }

    @Test func `a reversal that is owed comes at the next start, also after another sale that stands`() throws {
        var diary = try sold()
        _ = try diary.bench.finish(Bench.approval())
        let sale = diary.bench.key
        _ = diary.bench.disconnect()
        _ = try diary.bench.report(.working)
        _ = try diary.bench.finish(.failed(.hostUnreachable))
        diary.keep()
        diary.bench.connect()
        _ = try diary.bench.authorize()
        diary.keep()
        _ = try diary.bench.finish(Bench.approval(18)) + diary.bench.acknowledgeAll()
        diary.keep()
        var next = try diary.restarted()
        #expect(next.begun.isEmpty && next.timers[.reversal] == .seconds(5))
        _ = next.fire(.reversal)
        #expect(next.begun == [.reversal(of: .request(sale))])
    }

    @Test func `a reversal that is owed comes after another sale that was open when the terminal stopped`() throws {
        var diary = try sold()
        _ = try diary.bench.finish(Bench.approval())
        let sale = diary.bench.key
        _ = diary.bench.disconnect()
        _ = try diary.bench.report(.working)
        _ = try diary.bench.finish(.failed(.hostUnreachable))
        diary.keep()
        diary.bench.connect()
        _ = try diary.bench.authorize()
        diary.keep()
        let other = diary.bench.key
        var next = try diary.restarted()
        #expect(next.timers[.reversal] == .seconds(5))
        // The terminal is not free yet.
        #expect(next.fire(.reversal) == [] && next.begun.isEmpty && next.timers[.reversal] == .seconds(5))
        try next.model.finish(other, .failed(.internalError), at: Bench.noon)
        _ = next.update()
        _ = next.fire(.reversal)
        #expect(next.begun == [.reversal(of: .request(sale))])
    }

    @Test func `a reversal waits while a till of another protocol has the reader after the start`() throws {
        var diary = try sold()
        _ = try diary.bench.finish(Bench.approval())
        let sale = diary.bench.key
        diary.keep()
        let reader = SharedReader()
        let open = TerminalRequest(
            key: IdempotencyKey(rawValue: "other"), till: TillID(rawValue: "nexo"), operation: .endOfDay)
        var other = TerminalModel(open: open, reader: reader)
        var next = try Bench(model: TerminalModel(kept: diary.requests, offset: 0, reader: reader))
        _ = next.takeUp(diary.requests)
        #expect(next.begun.isEmpty && next.timers[.reversal] == .seconds(5))
        #expect(next.model.lastTransaction(of: TillID(rawValue: "till"))?.isConfirmed == false)
        try other.finish(open.key, .failed(.internalError), at: Bench.noon)
        other.confirm(open.key)
        _ = next.fire(.reversal)
        #expect(next.begun == [.reversal(of: .request(sale))])
    }

    @Test func `a sale that never reached the host charges nothing and is not reversed`() throws {
        var next = try sold().restarted(.failed(.internalError))
        #expect(next.begun.isEmpty)
        #expect(next.till(Self.question) == ["800000", "061e0183"])
    }

    @Test func `a sale whose result is open is found out first, and then reversed`() throws {
        let diary = try sold()
        let sale = diary.bench.key
        var next = try diary.restarted()
        #expect(next.work.first == .recover(try #require(diary.requests.last).request))
        #expect(next.till(Bench.sale) == ["849c00"])
        try next.model.finish(sale, try Bench.approval(), at: Bench.noon)
        _ = next.update()
        #expect(next.begun == [.reversal(of: .request(sale))])
    }
}
