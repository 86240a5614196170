import Money
import Payments
import Terminal
import Testing

@testable import ZVT

/// Connections that end, and tills that ask afterwards. A payment is either known to the till or reversed.
struct LostConnectionTests {
    private typealias Bench = ZVTBench

    private static let question = "0620050000000303"

    private func approved() throws -> Bench {
        var bench = try Bench()
        _ = try bench.register() + bench.authorize()
        _ = try bench.finish(Bench.approval(receipts: [Bench.customerReceipt]))
        return bench
    }

    @Test func `a status information without an answer closes the connection and reverses`() throws {
        var bench = try approved()
        let sale = bench.key
        #expect(bench.fire(.answer) == ["closed"])
        #expect(bench.begun.last == .reversal(of: .request(sale)))
        bench.connect()
        // The till asks while the reversal runs: it has to wait.
        #expect(bench.till(Self.question) == ["849c00"])
        #expect(try bench.report(.working) == [])
        #expect(try bench.finish(Bench.reversal()) == [])
        #expect(!bench.zvt.isInDialog)
        #expect(bench.model.holder == nil)
        // No transaction is stored: the sale was not paid.
        #expect(bench.till(Self.question) == ["800000", "061e0183"])
    }

    @Test func `a result that stays open loses its till, and is reversed when it comes`() throws {
        var bench = try Bench()
        _ = bench.register() + bench.till(Bench.sale)
        for step in [TerminalProgress.waitingForCard, .cardPresented, .authorizing] {
            _ = try bench.report(step) + bench.acknowledgeAll()
        }
        // T4 asks for the end, which comes too late. The second time, the till is let go.
        #expect(bench.fire(.dialog) == [])
        #expect(bench.zvt.isInDialog)
        #expect(bench.fire(.dialog) == ["closed"])
        let sale = bench.key
        _ = try bench.finish(Bench.approval(receipts: []))
        #expect(bench.begun.last == .reversal(of: .request(sale)))
        _ = try bench.finish(Bench.reversal())
        #expect(!bench.zvt.isInDialog && bench.model.holder == nil)
    }

    @Test func `a connection that ends before the answer reverses`() throws {
        var bench = try approved()
        #expect(bench.disconnect() == [])
        _ = try bench.finish(Bench.reversal())
        bench.connect()
        #expect(bench.till(Self.question) == ["800000", "061e0183"])
    }

    @Test func `a connection that ends within the receipt reverses`() throws {
        var bench = try approved()
        #expect(bench.till("800000") == [Bench.receiptBlock])
        _ = bench.disconnect()
        #expect(bench.begun.count == 2)
    }

    @Test func `after the answers the payment stands, and the till can ask`() throws {
        var bench = try approved()
        #expect(bench.till("800000") == [Bench.receiptBlock])
        #expect(bench.till("800000") == ["060f00"])
        _ = bench.disconnect()
        #expect(bench.begun.count == 1)
        #expect(!bench.zvt.isInDialog)
        bench.connect()
        #expect(bench.till(Self.question) == ["800000", Bench.approved])
        #expect(bench.till("800000") == ["060f00"])
        #expect(bench.till("800000") == [])
        // Asking again changes nothing.
        #expect(bench.till(Self.question) == ["800000", Bench.approved])
    }

    @Test func `a receipt is repeated`() throws {
        var bench = try approved()
        _ = bench.acknowledgeAll()
        #expect(bench.till("062003000000") == ["800000", Bench.receiptBlock])
        #expect(bench.acknowledgeAll() == ["060f00"])
        #expect(bench.begun.count == 1)
    }

    @Test func `a connection that ends before the card ends the request`() throws {
        var bench = try Bench()
        _ = bench.register() + bench.till(Bench.sale)
        _ = try bench.report(.waitingForCard)
        #expect(bench.disconnect() == [])
        #expect(bench.work.last == .cancel(bench.key, .byTill))
        _ = try bench.finish(.canceled(.byTill))
        #expect(!bench.zvt.isInDialog)
        #expect(bench.model.holder == nil)
        #expect(bench.begun.count == 1)
    }

    @Test func `a connection that ends while the host is asked leaves the result to the reversal`() throws {
        var bench = try Bench()
        _ = try bench.register() + bench.authorize()
        _ = bench.disconnect()
        #expect(bench.work.count == 1)
        #expect(try bench.finish(Bench.approval()) == [])
        #expect(bench.begun.count == 2)
        _ = try bench.finish(Bench.reversal())
        bench.connect()
        #expect(bench.till(Bench.sale) == ["800000"])
    }

    @Test func `a decline without an answer is not reversed`() throws {
        var bench = try Bench()
        _ = try bench.register() + bench.authorize()
        _ = try bench.finish(Bench.decline)
        #expect(bench.disconnect() == [])
        #expect(bench.begun.count == 1)
        #expect(bench.model.holder == nil)
    }

    @Test func `a till that did not give the goods gets its payment reversed`() throws {
        var bench = try approved()
        #expect(bench.till("846600") == ["04ff0105"])
        #expect(bench.till("800000") == [])
        let sent = try bench.finish(Bench.reversal()) + bench.acknowledgeAll()
        #expect(sent == ["040f02276c", "061e016c"])
        #expect(bench.model.lastTransaction(of: .init(rawValue: "till")) == nil)
    }

    @Test func `a receipt that the till can't print reverses the payment`() throws {
        var bench = try approved()
        _ = bench.till("800000")
        #expect(bench.till("84cc00") == ["04ff0105"])
        _ = bench.till("800000")
        #expect(try bench.finish(Bench.reversal()) + bench.acknowledgeAll() == ["040f0227cc", "061e01cc"])
    }

    @Test func `a reversal that fails says so`() throws {
        var bench = try approved()
        _ = bench.till("846600") + bench.till("800000")
        let sent = try bench.finish(.failed(.notReversible)) + bench.acknowledgeAll()
        #expect(sent == ["040f0227b5", "061e01b5"])
        #expect(bench.model.lastTransaction(of: .init(rawValue: "till")) != nil)
    }

    @Test func `a status information comes again when the till asks for time`() throws {
        var bench = try Bench()
        _ = try bench.register() + bench.authorize("06010e0400000000125049097819400202")
        #expect(try bench.finish(Bench.approval()) == [Bench.approved])
        #expect(bench.timers[.answer] == .seconds(30))
        for _ in 0..<2 {
            #expect(bench.till("849c00") == [])
            #expect(bench.timers[.status] == .seconds(2))
            #expect(bench.fire(.status) == [Bench.approved])
        }
        // The till said two.
        #expect(bench.till("849c00") == ["04ff0105"])
    }

    @Test func `the answer to a completion may be lost`() throws {
        var bench = try approved()
        _ = bench.till("800000") + bench.till("800000")
        #expect(bench.fire(.answer) == ["closed"])
        #expect(bench.begun.count == 1)
        #expect(!bench.zvt.isInDialog)
    }

    @Test func `a terminal that stopped within a payment reverses what the host approved`() throws {
        let request = try TerminalRequest(
            key: IdempotencyKey(rawValue: "before"), till: TillID(rawValue: "till"),
            operation: .payment(amount: .init(minorUnits: 1250, currency: .init(code: "EUR"))))
        var bench = try Bench(model: TerminalModel(open: request))
        #expect(bench.recover(request) == [])
        #expect(bench.work == [.recover(request)])
        #expect(bench.till(Bench.sale) == ["849c00"])
        try bench.model.finish(request.key, Bench.approval(), at: Bench.noon)
        #expect(bench.update() == [])
        #expect(bench.begun == [.reversal(of: .request(request.key))])
        _ = try bench.finish(Bench.reversal())
        #expect(bench.till(Bench.sale) == ["800000"])
    }

    // MARK: The newer rule

    private static func sale(knowing number: String) -> String {
        let tag = "1f1f" + (number.isEmpty ? "00" : "01" + number)
        let container = (tag.count / 2).hexadecimalByte + tag
        let data = "04000000001250" + "490978" + "06" + container
        return "0601" + (data.count / 2).hexadecimalByte + data
    }

    @Test func `a till of the newer rule that saw its payment goes on`() throws {
        var bench = try Bench()
        _ = try bench.register() + bench.authorize(Self.sale(knowing: "16"))
        let sent = try bench.finish(Bench.approval())
        #expect(sent.first?.hasSuffix("1f1f020017") == true)
        _ = bench.disconnect()
        #expect(bench.begun.count == 1)
        #expect(bench.model.holder == nil)
        bench.connect()
        #expect(bench.till(Self.sale(knowing: "17")) == ["800000"])
        #expect(bench.begun.count == 2)
        #expect(bench.begun.last?.needsCard == true)
    }

    @Test func `a till of the newer rule that did not see its payment gets it reversed first`() throws {
        var bench = try Bench()
        _ = try bench.register() + bench.authorize(Self.sale(knowing: "16"))
        let sale = bench.key
        _ = try bench.finish(Bench.approval())
        _ = bench.disconnect()
        bench.connect()
        #expect(bench.till(Self.sale(knowing: "16")) == ["800000", "04ff0105"])
        #expect(bench.begun.last == .reversal(of: .request(sale)))
        _ = try bench.finish(Bench.reversal())
        #expect(bench.begun.count == 3)
        #expect(bench.begun.last?.needsCard == true)
        #expect(try bench.report(.waitingForCard) == [])
        #expect(bench.till("800000") == ["04ff010a"])
    }

    @Test func `a payment that can't be taken back stops the next one`() throws {
        var bench = try Bench()
        _ = try bench.register() + bench.authorize(Self.sale(knowing: "16"))
        _ = try bench.finish(Bench.approval())
        _ = bench.disconnect()
        bench.connect()
        _ = bench.till(Self.sale(knowing: "16")) + bench.till("800000")
        #expect(try bench.finish(.failed(.notReversible)) == ["061e01b5"])
        #expect(bench.begun.count == 2)
    }

    @Test(arguments: ["", "05", "99"])
    func `a new till, and a number that is neither, change nothing`(number: String) throws {
        var bench = try Bench()
        _ = try bench.register() + bench.authorize(Self.sale(knowing: "16"))
        _ = try bench.finish(Bench.approval()) + bench.acknowledgeAll()
        #expect(bench.till(Self.sale(knowing: number)) == ["800000"])
        #expect(bench.begun.allSatisfy { $0.needsCard })
    }
}

extension Int {
    fileprivate var hexadecimalByte: String { (self < 16 ? "0" : "") + String(self, radix: 16) }
}
