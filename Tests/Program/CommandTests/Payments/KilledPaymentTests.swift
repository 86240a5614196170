import Foundation
import Glibc
import Testing

/// A till that is killed in the middle. The trace is a full pipe, which stops the program at a chosen exchange
/// with the card; a second test kills after growing delays, to hit the moments in between.
@Suite("A payment whose program is killed")
struct KilledPaymentTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private var pay: [String] { ["pay", "5", "--database", scratch.database, "--json"] }

    /// The lengths of the lines of a trace, line breaks counted.
    private func exchanges() throws -> [Int] {
        let path = scratch.file("whole.jsonl")
        try Program.run(pay + ["--trace", path], in: scratch).expectStatus(0)
        return try scratch.text("whole.jsonl").split(separator: "\n").map { $0.utf8.count + 1 }
    }

    @Test func `at every card exchange: the next command recovers the correct outcome`() throws {
        let lengths = try exchanges()
        #expect(lengths.count >= 8)
        for stop in lengths.indices {
            let pipe = try TracePipe(in: scratch, room: lengths[..<stop].reduce(0, +))
            let child = try Child(pay + ["--trace", pipe.path], in: scratch)
            try pipe.waitUntilFull(child)
            // The pipe of the first one is full from the start: only the record shows that its payment has started.
            if stop == 0 { #expect(child.wait { (try? Records(of: scratch).payments.count) == 2 }) }
            child.send(SIGKILL)
            #expect(try child.result().signal == SIGKILL)
        }
        let records = try Records(of: scratch)
        records.expectTruth()
        #expect(records.payments.count == lengths.count + 1)
        // Before the issuer was asked nothing had left; after it was asked the money is given back.
        #expect(records.states.filter { $0 == "captured" }.count == 1)
        #expect(records.states.contains("failed"))
        #expect(records.states.contains("reversed"))
    }

    @Test func `at any time: the next command recovers the correct outcome`() throws {
        let clock = ContinuousClock()
        let whole = try clock.measure { try Program.run(pay, in: scratch).expectStatus(0) }
        let runs = 16
        var finished = 1
        for run in 1...runs {
            let child = try Child(pay, in: scratch)
            let deadline = clock.now + whole * run / runs
            _ = child.wait { clock.now >= deadline }
            child.send(SIGKILL)
            let result = try child.result()
            if result.output.hasSuffix("}\n"), try result.object()["outcome"] as? String == "approved" { finished += 1 }
        }
        let records = try Records(of: scratch)
        records.expectTruth()
        // A reported approval is not reversed later.
        #expect(records.states.filter { $0 == "captured" }.count >= finished)
    }
}
