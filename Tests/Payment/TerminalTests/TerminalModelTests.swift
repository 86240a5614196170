import Determinism
import Money
import Payments
import Terminal
import Testing

/// The rules of one terminal, without a protocol.
struct TerminalModelTests {
    private let noon = CivilDate(year: 2026, month: 11, day: 23, hour: 12)

    private func euros(_ minorUnits: Int64) throws -> Money {
        try Money(minorUnits: minorUnits, currency: try Currency(code: "EUR"))
    }

    private func request(_ key: String, till: String = "one", _ operation: TerminalOperation) -> TerminalRequest {
        TerminalRequest(key: IdempotencyKey(rawValue: key), till: TillID(rawValue: till), operation: operation)
    }

    private func sale(_ key: String, till: String = "one", _ minorUnits: Int64 = 1250) throws -> TerminalRequest {
        request(key, till: till, .payment(amount: try euros(minorUnits)))
    }

    private func approval(_ receipt: Int) throws -> TerminalOutcome {
        .approved(
            TerminalTransaction(receiptNumber: receipt, trace: receipt, amount: try euros(1250), date: noon))
    }

    /// A terminal with an approved sale whose answer is not confirmed.
    private func sold(_ key: String = "a", receipt: Int = 1) throws -> (TerminalModel, TerminalRequest) {
        let (request, approval) = (try sale(key), try approval(receipt))
        var model = TerminalModel()
        _ = try model.start(request)
        try run(request, approval, &model)
        return (model, request)
    }

    private func run(_ request: TerminalRequest, _ outcome: TerminalOutcome, _ model: inout TerminalModel) throws {
        let steps: [TerminalProgress] =
            request.operation.needsCard ? [.waitingForCard, .cardPresented, .authorizing] : [.working]
        for step in steps { try model.report(step, of: request.key) }
        try model.finish(request.key, outcome, at: noon)
    }

    @Test func `a request begins once, and its key gets its state and its answer`() throws {
        var model = TerminalModel()
        let request = try sale("a")
        #expect(try model.start(request) == .running(.accepted))
        #expect(try model.start(request) == .running(.accepted))
        #expect(model.nextWork() == .begin(request))
        #expect(model.nextWork() == nil)
        try run(request, try approval(1), &model)
        guard case .finished(let record) = try model.start(request) else {
            Issue.record("the request runs again")
            return
        }
        #expect(record.outcome.transaction?.receiptNumber == 1)
        #expect(model.nextWork() == nil)
        #expect(model.status(of: request.key) == .finished(record))
    }

    @Test func `a key with another amount or from another till is refused`() throws {
        let (start, request) = try sold()
        var model = start
        let (other, foreign) = (try sale("a", 1251), try sale("a", till: "two"))
        #expect(throws: TerminalRefusal.keyReused(request.key)) { try model.start(other) }
        #expect(throws: TerminalRefusal.keyReused(request.key)) { try model.start(foreign) }
    }

    @Test func `two tills at one terminal wait for each other, until the answer has arrived`() throws {
        var model = TerminalModel()
        let (first, second) = (try sale("a"), try sale("b", till: "two"))
        let busy = TerminalRefusal.busy(first.till)
        _ = try model.start(first)
        #expect(throws: busy) { try model.start(second) }
        try run(first, try approval(1), &model)
        #expect(throws: busy) { try model.start(second) }
        #expect("\(busy)".contains("till one"))
        model.confirm(first.key)
        #expect(try model.start(second) == .running(.accepted))
        #expect(model.holder == second.till)
    }

    @Test func `what did not arrive is taken back before another till comes`() throws {
        let (start, request) = try sold()
        var model = start
        let other = try sale("b", till: "two")
        let reversal = try model.takeBack(request.key)
        #expect(try model.takeBack(request.key) == reversal)
        #expect(throws: TerminalRefusal.busy(request.till)) { try model.start(other) }
        try model.finish(reversal, try approval(2), at: noon)
        #expect(model.lastTransaction(of: request.till) == nil)
        model.confirm(reversal)
        #expect(try model.takeBack(request.key) == reversal)
        #expect(try model.start(other) == .running(.accepted))
        var begun: [TerminalOperation] = []
        while let work = model.nextWork() {
            if case .begin(let request) = work { begun.append(request.operation) }
        }
        #expect(begun.filter { $0 == .reversal(of: .request(request.key)) }.count == 1)
    }

    @Test func `only an approval with a card is taken back`() throws {
        var model = TerminalModel()
        let declined = try sale("a")
        _ = try model.start(declined)
        try run(declined, .declined(TerminalDecline(responseCode: "51", date: noon)), &model)
        #expect(throws: TerminalRefusal.nothingToTakeBack(declined.key)) { try model.takeBack(declined.key) }
        model.confirm(declined.key)
        let reversal = request("b", .reversal(of: .receipt(7)))
        _ = try model.start(reversal)
        try run(reversal, try approval(8), &model)
        #expect(throws: TerminalRefusal.nothingToTakeBack(reversal.key)) { try model.takeBack(reversal.key) }
        let unknown = IdempotencyKey(rawValue: "z")
        #expect(throws: TerminalRefusal.unknownRequest(unknown)) { try model.takeBack(unknown) }
    }

    @Test func `a cancellation asks once, and comes too late when the host is asked`() throws {
        var model = TerminalModel()
        let request = try sale("a")
        _ = try model.start(request)
        _ = model.nextWork()
        #expect(model.cancel(request.key, .byTill) == .requested)
        #expect(model.cancel(request.key, .byCardholder) == .requested)
        #expect(model.nextWork() == .cancel(request.key, .byTill))
        #expect(model.nextWork() == nil)
        for step: TerminalProgress in [.waitingForCard, .cardPresented, .authorizing] {
            try model.report(step, of: request.key)
        }
        #expect(model.cancel(request.key, .byTill) == .tooLate)
        let canceled = TerminalOutcome.canceled(.byTill)
        #expect(throws: TerminalRefusal.illegalEnd(request.key)) { try model.finish(request.key, canceled, at: noon) }
        try model.finish(request.key, try approval(1), at: noon)
        guard case .finished = model.cancel(request.key, .byTill) else {
            Issue.record("a finished request was canceled")
            return
        }
        #expect(model.cancel(IdempotencyKey(rawValue: "z"), .byTill) == .unknown)
    }

    @Test func `an end is said once, or the same again`() throws {
        let (start, request) = try sold()
        var model = start
        let (same, other) = (try approval(1), try approval(2))
        #expect(throws: Never.self) { try model.finish(request.key, same, at: noon) }
        #expect(throws: TerminalRefusal.unknownRequest(request.key)) {
            try model.finish(request.key, other, at: noon)
        }
        #expect(throws: TerminalRefusal.unknownRequest(request.key)) {
            try model.report(.authorizing, of: request.key)
        }
    }

    @Test func `a payment needs a card, and other requests end in their own way`() throws {
        var model = TerminalModel()
        let request = try sale("a")
        let approval = try approval(1)
        _ = try model.start(request)
        #expect(throws: TerminalRefusal.illegalEnd(request.key)) { try model.finish(request.key, approval, at: noon) }
        try model.report(.waitingForCard, of: request.key)
        #expect(throws: TerminalRefusal.illegalEnd(request.key)) { try model.finish(request.key, approval, at: noon) }
        #expect(throws: TerminalRefusal.illegalEnd(request.key)) {
            try model.finish(request.key, .done(TerminalReport()), at: noon)
        }
        #expect(model.holder == request.till)
    }

    @Test func `only legal steps are taken`() throws {
        var model = TerminalModel()
        let request = try sale("a")
        _ = try model.start(request)
        #expect(throws: TerminalRefusal.illegalStep(.accepted, .authorizing)) {
            try model.report(.authorizing, of: request.key)
        }
        #expect(model.status(of: request.key) == .running(.accepted))
        // No step leads back before the host was asked, but the one to another PIN.
        for step in TerminalProgress.allCases where TerminalProgress.authorizing.canBecome(step) {
            #expect([.authorizing, .recovering, .removingCard, .wrongPIN].contains(step))
        }
        for step in TerminalProgress.allCases where TerminalProgress.recovering.canBecome(step) {
            #expect([.recovering, .removingCard].contains(step))
        }
        for step in TerminalProgress.allCases where step.canBeCanceled {
            #expect(!TerminalProgress.recovering.canBecome(step))
        }
    }

    @Test func `the last transaction is that of the till, and stands`() throws {
        let (start, first) = try sold("a", receipt: 1)
        var model = start
        model.confirm(first.key)
        let second = try sale("b", till: "two")
        _ = try model.start(second)
        try run(second, try approval(2), &model)
        model.confirm(second.key)
        #expect(model.lastTransaction(of: first.till)?.outcome.transaction?.receiptNumber == 1)
        let reversal = request("c", .reversal(of: .receipt(1)))
        _ = try model.start(reversal)
        try run(reversal, try approval(3), &model)
        #expect(model.lastTransaction(of: first.till)?.outcome.transaction?.receiptNumber == 3)
        guard case .finished(let record) = model.status(of: first.key) else {
            Issue.record("the sale is gone")
            return
        }
        #expect(record.isTakenBack)
        #expect(model.lastTransaction(of: second.till)?.outcome.transaction?.receiptNumber == 2)
    }

    @Test func `a hold is open until it is captured or released`() throws {
        var model = TerminalModel()
        let till = TillID(rawValue: "one")
        for (number, key) in ["a", "b"].enumerated() {
            let hold = request(key, .preauthorization(amount: try euros(5000)))
            _ = try model.start(hold)
            try run(hold, try approval(number + 1), &model)
            model.confirm(hold.key)
        }
        #expect(model.openPreauthorizations(of: till).count == 2)
        let endings: [(String, TerminalOperation)] = [
            ("c", .capture(of: .receipt(1), .all)), ("d", .release(of: .request(IdempotencyKey(rawValue: "b")))),
        ]
        for (number, (key, operation)) in endings.enumerated() {
            let ending = request(key, operation)
            _ = try model.start(ending)
            try run(ending, try approval(number + 3), &model)
            model.confirm(ending.key)
            #expect(model.openPreauthorizations(of: till).count == 1 - number)
        }
    }

    @Test func `a terminal that stopped has its answers again, and recovers what ran`() throws {
        let (model, sold) = try sold()
        guard case .finished(let record) = model.status(of: sold.key) else {
            Issue.record("the sale is gone")
            return
        }
        let open = try sale("b")
        var again = TerminalModel(records: [record], open: open)
        #expect(again.status(of: sold.key) == .finished(record))
        #expect(again.nextWork() == .recover(open))
        #expect(again.status(of: open.key) == .running(.recovering))
        #expect(again.cancel(open.key, .byTill) == .tooLate)
        let other = try sale("c", till: "two")
        #expect(throws: TerminalRefusal.busy(open.till)) { try again.start(other) }
        try again.finish(open.key, .failed(.hostUnreachable), at: noon)
        again.confirm(open.key)
        #expect(again.holder == nil)
    }

    @Test func `the newest answers are kept, and with them what stands if that is wanted`() throws {
        for keepsStanding in [false, true] {
            var model = TerminalModel()
            let hold = request("hold", .preauthorization(amount: try euros(5000)))
            let requests = try [hold] + (1...19).map { try sale("\($0)") }
            for (number, request) in requests.enumerated() {
                _ = try model.start(request)
                try run(request, try approval(number + 1), &model)
                model.confirm(request.key)
                model.keep(newest: 10, standing: keepsStanding)
            }
            #expect(requests[1..<10].allSatisfy { model.status(of: $0.key) == .unknown })
            #expect(requests[10...].allSatisfy { model.status(of: $0.key) != .unknown })
            #expect((model.status(of: hold.key) != .unknown) == keepsStanding)
            #expect(model.openPreauthorizations(of: hold.till).isEmpty == !keepsStanding)
        }
    }

    @Test func `a reversal that failed begins anew when it is asked for again`() throws {
        let (start, request) = try sold()
        var model = start
        let reversal = try model.takeBack(request.key)
        _ = try model.takeBack(request.key, again: true)
        try model.finish(reversal, .failed(.hostUnreachable), at: noon)
        model.confirm(reversal)
        #expect(try model.takeBack(request.key) == reversal)
        #expect(model.holder == nil)
        #expect(try model.takeBack(request.key, again: true) == reversal)
        #expect(model.holder == request.till && model.status(of: reversal) == .running(.accepted))
        try model.finish(reversal, try approval(2), at: noon)
        model.confirm(reversal)
        #expect(try model.takeBack(request.key, again: true) == reversal)
        #expect(model.holder == nil && model.lastTransaction(of: request.till) == nil)
    }

    @Test func `old answers are forgotten, but not the newest transaction and not what did not arrive`() throws {
        var model = TerminalModel()
        let requests = try ["a", "b", "c"].map { try sale($0) }
        for (number, request) in requests.enumerated() {
            _ = try model.start(request)
            try run(request, try approval(number + 1), &model)
            if number < 2 { model.confirm(request.key) }
        }
        model.forget(before: noon)
        #expect(model.status(of: requests[0].key) != .unknown)
        model.forget(before: CivilDate(year: 2026, month: 11, day: 24))
        #expect(model.status(of: requests[0].key) == .unknown)
        #expect(model.status(of: requests[1].key) == .unknown)
        #expect(model.status(of: requests[2].key) != .unknown)
    }
}
