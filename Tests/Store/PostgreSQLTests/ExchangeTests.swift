import Testing

@testable import PostgreSQL

struct ExchangeTests {
    private let answer = LibraryAnswer.rows(
        PostgreSQLRows(
            columns: [], values: [], count: 0, affected: 1, command: "INSERT",
            place: CodePlace(file: "Tests/Some.swift", line: 1)))

    /// Takes steps until one is to receive, and returns how many statements were sent, and the last other step.
    private func steps(_ exchange: inout Exchange) -> (sent: Int, last: Exchange.Step?) {
        var (sent, last) = (0, Exchange.Step?.none)
        while true {
            let step = exchange.step()
            switch step {
            case .receive: return (sent, last)
            case .send: sent += 1
            default: break
            }
            last = step
        }
    }

    private func expectTaken(
        _ exchange: inout Exchange, _ answer: LibraryAnswer, location: SourceLocation = #_sourceLocation
    ) {
        let isTaken = exchange.take(answer)
        #expect(isTaken, sourceLocation: location)
    }

    @Test func `no more statements are under way than a window has, and each block asks for its answers`() {
        var exchange = Exchange((0..<600).map { Statement("SELECT \($0)") })
        var total = 0
        var ended = false
        while !ended {
            let (sent, last) = steps(&exchange)
            total += sent
            switch last {
            case .requestFlush: #expect(sent == 256 || sent == 128)
            case .synchronize: ended = true
            default: Issue.record("\(String(describing: last))")
            }
            for _ in 0..<128 {
                expectTaken(&exchange, answer)
                expectTaken(&exchange, .end)
            }
        }
        #expect(total == 600)
    }

    @Test func `a commit is possible only once the end has left`() {
        var exchange = Exchange([Statement("INSERT")])
        #expect(!exchange.mayHaveLeft)
        _ = steps(&exchange)
        #expect(exchange.isEnded)
        exchange.noteFlush(isEverythingGone: false)
        #expect(!exchange.mayHaveLeft)
        exchange.noteFlushUnderWay()
        #expect(exchange.mayHaveLeft)
        exchange.noteFlush(isEverythingGone: true)
        #expect(exchange.mayHaveLeft)
        expectTaken(&exchange, answer)
        expectTaken(&exchange, .end)
        #expect(!exchange.isComplete)
        expectTaken(&exchange, .synchronized)
        #expect(exchange.isComplete)
        #expect(!exchange.expectsAnswer)
    }

    @Test func `a refusal stops the sending, and has the place of its statement`() {
        var exchange = Exchange((0..<600).map { Statement("SELECT 1", [], line: $0) })
        let sentFirst = steps(&exchange).sent
        #expect(sentFirst == 256)
        expectTaken(&exchange, answer)
        expectTaken(&exchange, .end)
        let report = ServerReport { $0 == .state ? "23505" : nil }
        expectTaken(&exchange, .refused(report))
        expectTaken(&exchange, .end)
        let (sent, last) = steps(&exchange)
        #expect(sent == 0)
        guard case .synchronize = last else {
            Issue.record("\(String(describing: last))")
            return
        }
        #expect(exchange.failure?.place?.line == 1)
        expectTaken(&exchange, .skipped)
        expectTaken(&exchange, .end)
        let isTaken = exchange.take(.failed)
        #expect(!isTaken)
    }
}
