import Determinism
import Money
import Terminal
import Testing
import Text

@testable import ZVT

/// Commands besides sales.
struct CommandTests {
    private typealias Bench = ZVTBench

    private func registered() throws -> Bench {
        var bench = try Bench()
        _ = bench.register()
        return bench
    }

    private func euros(_ minorUnits: Int64) throws -> Money {
        try Money(minorUnits: minorUnits, currency: try Currency(code: "EUR"))
    }

    @Test func `a reversal by its receipt`() throws {
        var bench = try registered()
        #expect(bench.till("06301000000087001704000000001250490978") == ["800000"])
        #expect(try bench.begun == [.reversal(of: .receipt(17), amount: euros(1250))])
        #expect(try bench.report(.working) == ["04ff010e"])
        _ = bench.till("800000")
        let sent = try bench.finish(Bench.reversal()) + bench.acknowledgeAll()
        #expect(
            sent == [
                "040f332700040000000012500b000018370000170c1430010d112329000000014909788700182a343535363030303030353939"
                    + "202020", "060f00",
            ])
    }

    @Test(arguments: [(.alreadyReversed, "b4"), (.unknownTransaction, "b5")] as [(TerminalFailure, String)])
    func `a reversal that is not possible`(failure: TerminalFailure, code: String) throws {
        var bench = try registered()
        _ = bench.till("063006000000870017")
        let sent = try bench.finish(.failed(failure)) + bench.acknowledgeAll()
        #expect(sent.last == "061e01\(code)")
    }

    @Test func `a reversal whose answer is lost is not reversed`() throws {
        var bench = try registered()
        _ = bench.till("063006000000870017")
        _ = try bench.finish(Bench.reversal())
        _ = bench.disconnect()
        #expect(bench.begun.count == 1)
        #expect(bench.model.holder == nil)
        bench.connect()
        #expect(bench.till("0620050000000303").last?.contains("37000017") == true)
    }

    @Test func `an amount that is given twice is refused, and nothing begins`() throws {
        var bench = try registered()
        #expect(bench.till("06010e" + "04000000001000" + "04000000002000") == ["849a00"])
        #expect(bench.till("063009" + "000000" + "870001" + "870002") == ["849a00"])
        #expect(bench.begun.isEmpty)
        // The tip is a part of the amount.
        #expect(bench.till("060112" + "04000000001000" + "0609" + "1f3606000000000200") == ["800000"])
        #expect(try bench.begun == [.payment(amount: euros(1000), tip: euros(200))])
    }

    @Test func `a status enquiry without a card reader`() throws {
        var bench = try registered()
        bench.setReader(isThere: false)
        let sent = bench.till("0501050000000302") + bench.acknowledgeAll()
        #expect(sent.last == "060f01e2", "\(sent)")
        bench.setReader(isThere: true)
        #expect((bench.till("0501050000000302") + bench.acknowledgeAll()).last == "060f0100")
    }

    @Test func `a refund`() throws {
        var bench = try registered()
        #expect(bench.till("06310d00000004000000000500490978") == ["800000"])
        #expect(try bench.begun == [.refund(amount: euros(500))])
    }

    @Test func `a pre-authorization is held, asked for, and completed`() throws {
        var bench = try registered()
        #expect(bench.till("06230387ffff") == ["800000", "061e04b887ffff"])
        _ = bench.till("800000")
        _ = try bench.authorize("06220a04000000005000490978")
        #expect(try bench.begun == [.preauthorization(amount: euros(5000))])
        _ = try bench.finish(Bench.approval()) + bench.acknowledgeAll()
        #expect(bench.till("06230387ffff") == ["800000", "061e04b8870017"])
        _ = bench.till("800000")
        #expect(bench.till("06230a87001704000000001000") == ["800000"])
        #expect(try bench.begun.last == .capture(of: .receipt(17), .allBut(euros(1000))))
        _ = try bench.finish(Bench.reversal()) + bench.acknowledgeAll()
        #expect(bench.till("06230387ffff") == ["800000", "061e04b887ffff"])
    }

    @Test func `a pre-authorization is booked and released`() throws {
        var bench = try registered()
        _ = bench.till("06240a87001704000000004000")
        #expect(try bench.begun == [.capture(of: .receipt(17), .part(euros(4000)))])
        _ = try bench.finish(.failed(.unknownTransaction)) + bench.acknowledgeAll()
        _ = bench.till("062503870017")
        #expect(bench.begun.last == .release(of: .receipt(17)))
        _ = try bench.finish(.failed(.unknownTransaction)) + bench.acknowledgeAll()
        // Without an amount, nothing says what is given back.
        #expect(bench.till("062303870017") == ["848300"])
    }

    @Test func `an end of day`() throws {
        var bench = try registered()
        #expect(bench.till("065003000000") == ["800000"])
        #expect(bench.begun == [.endOfDay])
        #expect(try bench.report(.working) == ["04ff010e"])
        _ = bench.till("800000")
        let totals = TerminalTotals(
            firstReceipt: 1, lastReceipt: 18, trace: 19,
            date: CivilDate(year: 2026, month: 11, day: 23, hour: 23, minute: 59, second: 0),
            currency: try Currency(code: "EUR"),
            lines: [
                .init(brand: "girocard", count: 3, amount: 4500), .init(brand: "mastercard", count: 1, amount: 1000),
                .init(brand: "visa", count: 2, amount: 2000),
            ])
        let receipt = TerminalReceipt(kind: .administration, lines: [.init("75,00")])
        let sent = try bench.finish(.done(.init(totals: totals, receipts: [receipt]))) + bench.acknowledgeAll()
        #expect(
            sent == [
                ZVTVector.named("totals").lowercaseHexadecimal,
                "06d31606141f0701031f370101250a070537352c30300901ff", "060f00",
            ])
    }

    @Test func `an end of day that is not possible`() throws {
        var bench = try registered()
        _ = bench.till("065003000000")
        #expect(try bench.finish(.failed(.notSettled)) + bench.acknowledgeAll() == ["061e0177"])
    }

    @Test(arguments: [("06700506031b0101", .diagnosis), ("069303000000", .signOn)] as [(String, TerminalOperation)])
    func `tests of the way to the host`(command: String, operation: TerminalOperation) throws {
        var bench = try registered()
        #expect(bench.till(command) == ["800000"])
        #expect(bench.begun == [operation])
        #expect(try bench.finish(.done(.init())) + bench.acknowledgeAll() == ["060f00"])
        _ = bench.till(command)
        #expect(try bench.finish(.failed(.hostUnreachable)) + bench.acknowledgeAll() == ["061e01a3"])
    }

    @Test func `a status enquiry`() throws {
        var bench = try Bench()
        #expect(bench.till("0501050000000302") == ["800000", "060f0100"])
        _ = bench.till("800000")
        #expect(bench.till("050100") == ["800000", "060f0af0f0f6435020312e3000"])
    }

    @Test func `a language`() throws {
        var bench = try Bench()
        #expect(bench.till("08300101") == ["800000", "060f00"])
        #expect(bench.model.language == "en")
        _ = bench.till("800000")
        #expect(bench.till("08300120") == ["848300"])
    }

    @Test func `a log-off ends the registration`() throws {
        var bench = try registered()
        #expect(bench.till("060200") == ["800000"])
        #expect(!bench.zvt.registration.isRegistered)
        #expect(!bench.zvt.isInDialog)
    }

    @Test func `a tip is a part of the amount`() throws {
        var bench = try registered()
        _ = bench.till("06011904000000001450490978060d1f36060000000002001f1f0117")
        #expect(try bench.begun == [.payment(amount: euros(1450), tip: euros(200))])
    }

    @Test func `the terminal prints when the till does not`() throws {
        var bench = try Bench()
        // 88: print commands, but no payment receipts at the till.
        _ = try bench.register("060006000000880978") + bench.authorize()
        let sent = try bench.finish(Bench.approval(receipts: [Bench.customerReceipt])) + bench.acknowledgeAll()
        #expect(sent.count == 2)
        #expect(bench.work.last == .print([Bench.customerReceipt]))
    }

    @Test func `a till that makes receipts itself gets none`() throws {
        var bench = try Bench()
        _ = try bench.register("0600060000000e0978") + bench.authorize()
        let sent = try bench.finish(Bench.approval(receipts: [Bench.customerReceipt])) + bench.acknowledgeAll()
        #expect(sent.count == 2)
        #expect(bench.work.count == 1)
    }

    @Test func `a receipt that is longer than the till's messages comes in parts`() throws {
        var bench = try Bench()
        // Tag 1A: 255 bytes.
        _ = try bench.register("0600120000008e0978060a26040a0206d31a0200ff") + bench.authorize()
        let lines = (0..<20).map { TerminalReceipt.Line("line \($0) of this receipt") }
        let receipt = TerminalReceipt(kind: .customer, lines: lines)
        let blocks = try (bench.finish(Bench.approval(receipts: [receipt])) + bench.acknowledgeAll()).dropFirst()
            .dropLast()
        #expect(blocks.count > 1)
        for block in blocks { #expect(block.count / 2 <= 258) }
        #expect(blocks.filter { $0.hasSuffix("0901ff") }.count == 1)
        #expect(blocks.last?.hasSuffix("0901ff") == true)
    }
}
