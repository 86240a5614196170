import Money
import Payments
import Terminal
import Testing

@testable import ZVT

/// Whole dialogs, byte for byte.
struct SaleTests {
    private typealias Bench = ZVTBench

    @Test func `a till registers`() throws {
        var bench = try Bench()
        #expect(
            bench.register() == ["800000", "060f1519002900000001490978060926040a0206d3120140"])
        #expect(!bench.zvt.isInDialog)
        #expect(bench.timers.isEmpty)
    }

    @Test func `an approved sale with a receipt`() throws {
        var bench = try Bench()
        _ = bench.register()
        #expect(bench.till(Bench.sale) == ["800000"])
        #expect(try bench.report(.waitingForCard) == ["04ff010a"])
        #expect(bench.till("800000") == [])
        #expect(try bench.report(.cardPresented) == ["04ff010e"])
        #expect(bench.till("800000") == [])
        #expect(try bench.report(.authorizing) == ["04ff0104"])
        #expect(bench.till("800000") == [])
        #expect(try bench.report(.removingCard) == ["04ff014b"])
        #expect(bench.till("800000") == [])
        #expect(try bench.finish(Bench.approval(receipts: [Bench.customerReceipt])) == [Bench.approved])
        #expect(bench.model.holder?.rawValue == "till")
        #expect(bench.till("800000") == [Bench.receiptBlock])
        #expect(bench.till("800000") == ["060f00"])
        #expect(bench.model.holder == nil)
        #expect(bench.till("800000") == [])
        #expect(!bench.zvt.isInDialog)
        #expect(bench.timers.isEmpty)
        guard case .payment(let amount, let tip) = bench.begun.first else {
            Issue.record("no payment began")
            return
        }
        #expect(amount.description == "12.50 EUR")
        #expect(tip == nil)
    }

    @Test func `steps wait for the till's answers, and only the newest is sent`() throws {
        var bench = try Bench()
        _ = bench.register() + bench.till(Bench.sale)
        #expect(try bench.report(.waitingForCard) == ["04ff010a"])
        #expect(try bench.report(.cardPresented) == [])
        #expect(try bench.report(.authorizing) == [])
        #expect(bench.till("800000") == ["04ff0104"])
        #expect(try bench.finish(Bench.approval()) == [])
        #expect(bench.till("800000") == [Bench.approved])
    }

    @Test func `a step is repeated before the till's patience ends`() throws {
        var bench = try Bench()
        _ = bench.register() + bench.till(Bench.sale)
        _ = try bench.report(.waitingForCard) + bench.till("800000")
        #expect(bench.timers[.repetition] == .seconds(10))
        #expect(bench.fire(.repetition) == ["04ff010a"])
        #expect(bench.till("800000") == [])
        #expect(bench.timers[.repetition] == .seconds(10))
    }

    @Test func `without a registration there are no steps and no data objects, and receipts are lines`() throws {
        var bench = try Bench()
        #expect(bench.till("06010704000000001250") == ["800000"])
        for step in [TerminalProgress.waitingForCard, .cardPresented, .authorizing] {
            #expect(try bench.report(step) == [])
        }
        let sent = try bench.finish(Bench.approval(receipts: [Bench.customerReceipt])) + bench.acknowledgeAll()
        #expect(
            sent == [
                "040f532700040000000012500b0000170c1425300d1123197022f0f8eeeeeeeeeeee011929000000013b31323334353600"
                    + "008700178a0a2a3435353630303030303539392020208bf1f2566973612043726564697400",
                "06d112402a2a204b756e64656e62656c6567202a2a", "06d10a004555522031322c3530", "06d10100", "06d10181",
                "060f00",
            ])
    }

    @Test func `a declined sale`() throws {
        var bench = try Bench()
        _ = try bench.register() + bench.authorize()
        let sent = try bench.finish(Bench.decline) + bench.acknowledgeAll()
        #expect(
            sent == [
                "040f342705040000000012500c1426110d112322f0f8eeeeeeeeeeee011929000000014909788a0a8bf1f25669736120437265"
                    + "64697400", "061e0105",
            ])
        #expect(!bench.zvt.isInDialog)
    }

    @Test func `the till aborts before the card`() throws {
        var bench = try Bench()
        _ = bench.register() + bench.till(Bench.sale)
        _ = try bench.report(.waitingForCard) + bench.till("800000")
        #expect(bench.till("06b000") == ["800000"])
        #expect(bench.work.last == .cancel(bench.key, .byTill))
        let sent = try bench.finish(.canceled(.byTill)) + bench.acknowledgeAll()
        #expect(sent == [Bench.canceled, "061e016c"])
    }

    @Test func `an abort that comes too late changes nothing`() throws {
        var bench = try Bench()
        _ = try bench.register() + bench.authorize()
        #expect(bench.till("06b000") == ["800000"])
        #expect(bench.work.count == 1)
        #expect(try bench.finish(Bench.approval()) + bench.acknowledgeAll() == [Bench.approved, "060f00"])
    }

    @Test func `an abort may cross the approval`() throws {
        var bench = try Bench()
        _ = bench.register() + bench.till(Bench.sale)
        _ = try bench.report(.waitingForCard) + bench.till("800000") + bench.report(.cardPresented)
        // The abort comes before the answer to 04 FF.
        #expect(bench.till("06b000800000") == ["800000"])
        _ = try bench.report(.authorizing)
        #expect(try bench.finish(Bench.approval()) == [])
        #expect(bench.till("800000") == [Bench.approved])
    }

    @Test func `no card comes`() throws {
        var bench = try Bench()
        _ = bench.register() + bench.till(Bench.sale)
        _ = try bench.report(.waitingForCard) + bench.till("800000")
        #expect(bench.timers[.dialog] == .seconds(180))
        #expect(bench.fire(.dialog) == [])
        #expect(bench.work.last == .cancel(bench.key, .timedOut))
        let sent = try bench.finish(.canceled(.timedOut)) + bench.acknowledgeAll()
        #expect(sent == [Bench.canceled, "061e016c"])
    }

    @Test(
        arguments: [
            (.cardUnreadable, "64"), (.cardRemoved, "66"), (.chipError, "72"), (.readerDefective, "e2"),
            (.hostUnreachable, "a3"), (.internalError, "ff"),
        ] as [(TerminalFailure, String)])
    func `a failure has its code`(failure: TerminalFailure, code: String) throws {
        var bench = try Bench()
        _ = try bench.register() + bench.authorize()
        let sent = try bench.finish(.failed(failure)) + bench.acknowledgeAll()
        #expect(sent == ["040f1827\(code)040000000012500c1425300d11232900000001490978", "061e01\(code)"])
    }

    @Test func `a sale byte for byte`() throws {
        var bench = try Bench()
        _ = bench.register()
        var sent: [String] = []
        for place in stride(from: 0, to: Bench.sale.count, by: 2) {
            sent += bench.till(String(Bench.sale.dropFirst(place).prefix(2)))
            #expect((bench.timers[.frame(1)] == nil) == (place == Bench.sale.count - 2))
        }
        #expect(sent == ["800000"])
    }

    @Test(arguments: ["0601080499000000001250", "06010704000000000000", "060100", "06c000", "06010199"])
    func `a command that can't be carried out is refused, and nothing begins`(command: String) throws {
        var bench = try Bench()
        #expect(bench.till(command) == ["848300"])
        #expect(bench.work.isEmpty)
        #expect(!bench.zvt.isInDialog)
    }

    @Test func `a card number of the till is not taken`() throws {
        var bench = try Bench()
        #expect(bench.till("0601120400000000125022f0f84761739001010010") == ["848300"])
        #expect(bench.work.isEmpty)
    }

    @Test func `lying lengths end in an answer or in the end of the connection`() throws {
        var bench = try Bench()
        #expect(bench.till("0601020600") == ["848300"])
        #expect(bench.till("0601020605") == ["849a00"])
        #expect(bench.till("06010322f9f9") == ["849a00"])
        #expect(bench.till("0601") == [])
        #expect(bench.timers[.frame(1)] == .seconds(5))
        #expect(bench.fire(.frame(1)) == ["closed"])
        bench.connect()
        #expect(bench.till("0601ffffff") == ["closed"])
        #expect(bench.till("800000") == [])
    }

    @Test func `a wrong password and a wrong currency`() throws {
        var bench = try Bench()
        #expect(bench.till("0600060000018e0978") == ["848300"])
        #expect(bench.till("0600060000008e0840") == ["841e036f0978"])
        #expect(!bench.zvt.registration.isRegistered)
        #expect(bench.till("06010a04000000001250490840") == ["800000", "061e016f"])
        #expect(bench.work.isEmpty)
    }

    @Test func `a second command waits`() throws {
        var bench = try Bench()
        _ = bench.register() + bench.till(Bench.sale)
        #expect(bench.till("0501050000000302") == ["849c00"])
        let first = bench.connection
        bench.connect()
        #expect(bench.till(Bench.sale) == ["849c00"])
        #expect(bench.till("06b000") == ["849c00"])
        #expect(bench.work.count == 1)
        #expect(bench.till("06b000", on: first) == ["800000"])
    }

    @Test func `a terminal that works for another protocol asks to wait`() throws {
        var bench = try Bench()
        _ = try bench.model.start(
            TerminalRequest(key: .init(rawValue: "x"), till: .init(rawValue: "other"), operation: .totals))
        #expect(bench.till(Bench.sale) == ["849c00"])
        #expect(bench.till("0620050000000303") == ["849c00"])
        #expect(bench.till("0501050000000302") == ["800000", "060f019c"])
    }
}
