import Determinism
import Money
import Payments
import Testing

@testable import Terminal

/// Requests that a terminal keeps, and readers that several protocols share.
struct KeptRequestTests {
    private static let noon = CivilDate(year: 2026, month: 1, day: 2, hour: 12)
    private static let key = IdempotencyKey(rawValue: "sale 1")

    private static func money(_ units: Int64) -> Money? {
        (try? Currency(code: "EUR")).flatMap { try? Money(minorUnits: units, currency: $0) }
    }

    private static func request(
        _ operation: TerminalOperation, key: IdempotencyKey = key, till: String = "a"
    ) -> TerminalRequest {
        TerminalRequest(key: key, till: TillID(rawValue: till), operation: operation, receiptColumns: 24)
    }

    private func sale(key: IdempotencyKey = key, till: String = "a") throws -> TerminalRequest {
        Self.request(.payment(amount: try #require(Self.money(1250))), key: key, till: till)
    }

    private func approval() throws -> TerminalOutcome {
        .approved(
            TerminalTransaction(receiptNumber: 1, trace: 1, amount: try #require(Self.money(1250)), date: Self.noon))
    }

    private static let operations: [TerminalOperation] = {
        guard let amount = money(1250), let part = money(200) else { return [] }
        let (receipt, request) = (TransactionReference.receipt(17), TransactionReference.request(key))
        return [
            .payment(amount: amount), .payment(amount: amount, tip: part), .refund(amount: amount),
            .preauthorization(amount: amount), .capture(of: receipt, .all), .capture(of: request, .part(part)),
            .capture(of: receipt, .allBut(part)), .release(of: request), .reversal(of: receipt),
            .reversal(of: request, amount: amount), .giveBack(of: request, amount: part), .endOfDay,
        ]
    }()

    @Test(arguments: operations)
    func `a request that moves money is read again as it was kept`(_ operation: TerminalOperation) throws {
        let request = TerminalRequest(
            key: Self.key, till: TillID(rawValue: "Till \"1\""), operation: operation, receiptColumns: 24,
            isAutomatic: true)
        #expect(TerminalRequest(key: Self.key, kept: try #require(request.keptText)) == request)
    }

    @Test(arguments: [
        "", "{}", "[]", #"{"till":"a","columns":40,"kind":"payment"}"#,
        #"{"till":"a","columns":40,"kind":"capture part","amount":1,"currency":"EUR"}"#,
        #"{"till":"a","columns":40,"kind":"payment","amount":"x","currency":"EUR"}"#,
    ])
    func `a text that was not kept is no request`(_ text: String) {
        #expect(TerminalRequest(key: Self.key, kept: text) == nil)
    }

    @Test func `what shows and asks is not kept`() {
        #expect(Self.request(.display(["x"])).keptText == nil)
        #expect(!TerminalOperation.diagnosis.isKept && TerminalOperation.endOfDay.isKept)
    }

    @Test func `a change is told before the work, at the end, and when the answer arrived, each once`() throws {
        var model = TerminalModel(kept: [], offset: 0, reader: nil)
        _ = try model.start(try sale())
        #expect(model.takeChanges().map(\.outcome) == [nil])
        #expect(model.takeChanges().isEmpty)
        for step in [TerminalProgress.waitingForCard, .cardPresented, .authorizing] {
            try model.report(step, of: Self.key)
        }
        try model.finish(Self.key, try approval(), at: Self.noon)
        let ends = model.takeChanges()
        #expect(ends.map(\.outcome) == [try approval()] && ends.map(\.isConfirmed) == [false])
        model.confirm(Self.key)
        #expect(model.takeChanges().map(\.isConfirmed) == [true])
        model.confirm(Self.key)
        #expect(model.takeChanges().isEmpty)
    }

    @Test func `a transaction that was taken back is told with its reversal`() throws {
        var model = TerminalModel(
            kept: [
                KeptRequest(
                    request: try sale(), outcome: try approval(), started: Timestamp(Self.noon),
                    changed: Timestamp(Self.noon))
            ], offset: 0, reader: nil)
        let reversal = try model.takeBack(Self.key)
        _ = model.takeChanges()
        try model.report(.working, of: reversal)
        try model.finish(reversal, try approval(), at: Self.noon)
        let changes = model.takeChanges()
        #expect(changes.map(\.request.key) == [reversal, Self.key])
        #expect(changes.last?.isTakenBack == true)
    }

    @Test func `a reader that one protocol uses is busy for the other until the answer arrived`() throws {
        let reader = SharedReader()
        var first = TerminalModel(kept: [], offset: 0, reader: reader)
        var second = TerminalModel(kept: [], offset: 0, reader: reader)
        let other = try sale(key: IdempotencyKey(rawValue: "sale 2"), till: "b")
        _ = try first.start(try sale())
        #expect(throws: TerminalRefusal.busy(TillID(rawValue: "a"))) { try second.start(other) }
        #expect(second.nextWork() == nil && second.holder == TillID(rawValue: "a"))
        #expect(first.cancel(Self.key, .byTill) == .requested)
        try first.finish(Self.key, .canceled(.byTill), at: Self.noon)
        #expect(throws: TerminalRefusal.busy(TillID(rawValue: "a"))) { try second.start(other) }
        first.confirm(Self.key)
        #expect(try second.start(other) == .running(.accepted))
        #expect(throws: TerminalRefusal.busy(TillID(rawValue: "b"))) { try first.start(other) }
    }

    @Test func `a reader that is not open takes what is taken back, and nothing new`() throws {
        let (reader, noon) = (SharedReader(isOpen: false), Timestamp(Self.noon))
        var first = TerminalModel(kept: [], offset: 0, reader: reader)
        let start = TillID(rawValue: "start")
        let new = try sale(key: IdempotencyKey(rawValue: "sale 2"), till: "b")
        #expect(throws: TerminalRefusal.busy(start)) { try first.start(new) }
        #expect(first.holder == start && first.nextWork() == nil)
        let kept = KeptRequest(request: try sale(), outcome: try approval(), started: noon, changed: noon)
        var second = TerminalModel(kept: [kept], offset: 0, reader: reader)
        let reversal = try second.takeBack(Self.key)
        reader.open()
        #expect(throws: TerminalRefusal.busy(TillID(rawValue: "a"))) { try first.start(new) }
        try second.finish(reversal, .failed(.hostUnreachable), at: Self.noon)
        second.confirm(reversal)
        #expect(try first.start(new) == .running(.accepted))
    }

    @Test func `a request that ran when the terminal stopped holds the shared reader`() throws {
        let reader = SharedReader()
        let noon = Timestamp(Self.noon)
        var first = TerminalModel(
            kept: [KeptRequest(request: try sale(), started: noon, changed: noon)], offset: 0, reader: reader)
        var second = TerminalModel(kept: [], offset: 0, reader: reader)
        #expect(first.nextWork() == .recover(try sale()))
        let other = try sale(key: IdempotencyKey(rawValue: "sale 2"), till: "b")
        #expect(throws: TerminalRefusal.busy(TillID(rawValue: "a"))) { try second.start(other) }
        try first.finish(Self.key, try approval(), at: Self.noon)
        first.confirm(Self.key)
        #expect(try second.start(other) == .running(.accepted))
        #expect(first.lastTransaction(of: TillID(rawValue: "a"))?.request.key == Self.key)
    }

    @Test func `a reversal of the terminal's own that did not happen is tried again after a restart`() throws {
        let noon = Timestamp(Self.noon)
        let failed = TerminalRequest(
            key: IdempotencyKey(rawValue: "sale 1/taken-back"), till: TillID(rawValue: "a"),
            operation: .reversal(of: .request(Self.key)), isAutomatic: true)
        let kept = [
            KeptRequest(request: try sale(), outcome: try approval(), started: noon, changed: noon),
            KeptRequest(request: failed, outcome: .failed(.internalError), started: noon, changed: noon),
        ]
        var model = TerminalModel(kept: kept, offset: 0, reader: nil)
        #expect(try model.takeBack(Self.key) == failed.key)
        let work = model.nextWork()
        guard case .begin(let request)? = work else {
            Issue.record("\(String(describing: work))")
            return
        }
        #expect(request.key == failed.key && request.operation == failed.operation)
    }

    @Test(arguments: [TransactionReference.request(key), .receipt(1)])
    func `a crash between a reversal's end and its mark leaves no transaction that stands`(
        _ reference: TransactionReference
    ) throws {
        let noon = Timestamp(Self.noon)
        let reversal = Self.request(.reversal(of: reference), key: IdempotencyKey(rawValue: "reversal"))
        var kept = [
            KeptRequest(request: try sale(), outcome: try approval(), started: noon, changed: noon),
            KeptRequest(request: reversal, started: noon, changed: noon),
        ]
        kept.markTakenBack()
        #expect(kept.map(\.isTakenBack) == [false, false])
        kept[1].outcome = .failed(.notReversible)
        kept.markTakenBack()
        #expect(kept.map(\.isTakenBack) == [false, false])
        kept[1].outcome = try approval()
        kept.markTakenBack()
        #expect(kept.map(\.isTakenBack) == [true, false])
        let model = TerminalModel(kept: kept, offset: 0, reader: nil)
        #expect(model.lastTransaction(of: TillID(rawValue: "a"))?.request.key == reversal.key)
    }
}
