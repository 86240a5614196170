import Determinism
import Payments
import Terminal
import Testing
import Text

@testable import NexoTerminal

/// A terminal that stopped at some point of a message, and starts again with what it kept.
struct RestartTests {
    /// A terminal whose changes are kept, as an owner does.
    private struct Diary {
        var bench: NexoBench
        private var diary: RequestDiary

        init(_ kept: [KeptRequest] = [], objects: [KeptObject] = [], seed: UInt64 = 1) throws {
            (bench, diary) = (try NexoBench(seed: seed), RequestDiary(kept, objects: objects))
            bench.terminal.takeUp(kept, objects: objects, offset: 0, reader: nil)
        }

        mutating func keep() {
            diary.keep(bench.terminal.takeChanges(), at: bench.now)
            diary.keep(bench.terminal.takeObjectChanges())
        }

        var requests: [KeptRequest] { diary.requests }

        /// The next start, with how an open request ended, and with other random IDs.
        func restarted(_ outcome: TerminalOutcome? = nil) throws -> Diary {
            try Diary(diary.requests(endingWith: outcome), objects: diary.objects, seed: 2)
        }
    }

    private func repeated(_ status: JSONValue, _ name: String = "PaymentResponse") -> JSONValue? {
        status.at("RepeatedMessageResponse", "RepeatedResponseMessageBody", name)
    }

    @Test func `the answer that a till had is the same after a restart, and printed no more`() throws {
        var diary = try Diary()
        let answer = try diary.bench.pay(try diary.bench.approval(), id: "1")
        diary.keep()
        let wish = #","ReceiptReprintFlag":true"#
        let before = repeated(try diary.bench.status(of: "1", wish))
        var next = try diary.restarted()
        let after = repeated(try next.bench.status(of: "1", wish))
        #expect(after == before && after?.transactionID == answer.transactionID)
        #expect(next.bench.work().isEmpty)
    }

    private func sealed(_ text: String, _ first: UInt8) throws -> String {
        let header = try #require(JSONReader.node(Array(text.utf8))?.at("SaleToPOIRequest", "MessageHeader"))
        let members = try NexoBench.key().seal(Array(text.utf8), nonce: [UInt8](repeating: first, count: 16))
        return JSONValue.object([
            .init("SaleToPOIRequest", .object([.init("MessageHeader", header)] + members))
        ]).jsonText
    }

    @Test func `an encrypted message that was answered Busy is not carried out after a restart`() throws {
        var diary = try Diary()
        let running = try sealed(NexoBench.message("Payment", NexoBench.payment(), id: "1"), 1)
        let recorded = try sealed(NexoBench.message("Payment", NexoBench.payment("77"), id: "2"), 2)
        diary.bench.start(running, to: "/nexo/")
        #expect(try diary.bench.answer(recorded, to: "/nexo/").status == 200)
        try diary.bench.finishWithCard(try diary.bench.approval())
        _ = diary.bench.answers()
        diary.keep()
        var next = try diary.restarted()
        for message in [running, recorded] {
            #expect(try next.bench.answer(message, to: "/nexo/").status == 401)
        }
        #expect(next.bench.begun().isEmpty)
        next.keep()
        var last = try next.restarted()
        #expect(try last.bench.answer(recorded, to: "/nexo/").status == 401)
        // Encrypted anew, it is a new message.
        let anew = try sealed(NexoBench.message("Payment", NexoBench.payment("77"), id: "2"), 3)
        last.bench.start(anew, to: "/nexo/")
        #expect(last.bench.begun().count == 1)
    }

    @Test func `a payment that the host approved before the crash is found, and its ServiceID stays taken`() throws {
        var diary = try Diary()
        diary.bench.start(NexoBench.message("Payment", NexoBench.payment(), id: "1"))
        _ = diary.bench.begun()
        diary.keep()
        var next = try diary.restarted(try diary.bench.approval())
        let found = repeated(try next.bench.status(of: "1"))
        #expect(found?.result == "Success" && found?.at("SaleData", "SaleTransactionID", "TransactionID") == "order-17")
        let again = try next.bench.send("Payment", NexoBench.payment(), id: "1")
        #expect(again.result == "NotAllowed" && next.bench.begun().isEmpty)
        // A till that asks after one more restart sees the same ID.
        next.keep()
        var last = try next.restarted()
        #expect(repeated(try last.bench.status(of: "1"))?.transactionID == found?.transactionID)
    }

    @Test func `a payment without a result is in progress, and holds the terminal`() throws {
        var diary = try Diary()
        diary.bench.start(NexoBench.message("Payment", NexoBench.payment(), id: "1"))
        let key = try #require(diary.bench.begun().last?.key)
        diary.keep()
        var next = try diary.restarted()
        #expect(next.bench.work().contains { if case .terminal(_, .recover) = $0 { true } else { false } })
        #expect(try next.bench.status(of: "1").result == "InProgress")
        #expect(try next.bench.send("Payment", NexoBench.payment(), id: "2").result == "Busy")
        try next.bench.finish(key, try next.bench.approval())
        #expect(repeated(try next.bench.status(of: "1"))?.result == "Success")
    }

    @Test func `a payment that never reached the host has failed, and the till can pay again`() throws {
        var diary = try Diary()
        diary.bench.start(NexoBench.message("Payment", NexoBench.payment(), id: "1"))
        diary.keep()
        var next = try diary.restarted(.failed(.internalError))
        #expect(repeated(try next.bench.status(of: "1"))?.result == "DeviceOut")
        #expect(try next.bench.pay(try next.bench.approval(), id: "2").result == "Success")
    }

    @Test func `a payment is given back in parts across restarts, and never more than it was`() throws {
        var diary = try Diary()
        let sale = try diary.bench.pay(try diary.bench.approval(), id: "1")
        let id = try #require(sale.transactionID)
        diary.keep()
        var next = try diary.restarted()
        let part = #","ReversedAmount":5"#
        #expect(
            try next.bench.reverse(NexoBench.reversal(id, part), id: "2", try next.bench.approval(500)).result
                == "Success")
        next.keep()
        var last = try next.restarted()
        #expect(repeated(try last.bench.status(of: "2"), "ReversalResponse")?.result == "Success")
        let rest = #","ReversedAmount":7.51"#
        #expect(
            try last.bench.reverse(NexoBench.reversal(id, rest), id: "3", try last.bench.approval()).result
                == "NotAllowed")
        #expect(last.bench.begun().isEmpty)
    }

    @Test func `a hold is completed after a restart`() throws {
        var diary = try Diary()
        let hold = try diary.bench.pay(
            try diary.bench.approval(), id: "1",
            request: NexoBench.payment(data: #","PaymentData":{"PaymentType":"FirstReservation"}"#))
        diary.keep()
        let id = try #require(hold.transactionID)
        var next = try diary.restarted()
        let completion = """
            {"SaleData":{"SaleTransactionID":{"TransactionID":"order-17","TimeStamp":"x"}},"PaymentTransaction":\
            {"AmountsReq":{"Currency":"EUR","RequestedAmount":10},"OriginalPOITransaction":{"POITransactionID":\
            {"TransactionID":"\(id)","TimeStamp":"x"}}},"PaymentData":{"PaymentType":"Completion"}}
            """
        next.bench.start(NexoBench.message("Payment", completion, id: "2"))
        let key = try #require(next.bench.begun().last?.key)
        try next.bench.report(key, .working)
        try next.bench.finish(key, try next.bench.approval(1000))
        next.keep()
        var last = try next.restarted()
        #expect(repeated(try last.bench.status(of: "2"))?.result == "Success")
        #expect(last.bench.terminal.desks[NexoBench.poi]?.transactions[id]?.kind == .completed)
    }

    @Test func `a release is found after a restart, its ServiceID stays taken, and nothing is held`() throws {
        var diary = try Diary()
        let hold = try diary.bench.pay(
            try diary.bench.approval(), id: "1",
            request: NexoBench.payment(data: #","PaymentData":{"PaymentType":"FirstReservation"}"#))
        let id = try #require(hold.transactionID)
        diary.bench.start(NexoBench.message("Reversal", NexoBench.reversal(id), id: "2"))
        let key = try #require(diary.bench.begun().last?.key)
        diary.keep()
        var next = try diary.restarted()
        #expect(next.bench.work().contains { if case .terminal(_, .recover) = $0 { true } else { false } })
        #expect(try next.bench.status(of: "2").result == "InProgress")
        try next.bench.finish(key, try next.bench.approval())
        next.keep()
        var last = try next.restarted()
        #expect(repeated(try last.bench.status(of: "2"), "ReversalResponse")?.result == "Success")
        for service in ["2", "3"] {
            #expect(try last.bench.send("Reversal", NexoBench.reversal(id), id: service).result == "NotAllowed")
        }
        #expect(last.bench.begun().isEmpty)
    }

    @Test func `a real terminal has neither the cloud's paths nor those of the simulation`() throws {
        var bench = try NexoBench { $0.isSimulated = false }
        for path in ["/sync", "/async", "/v1/merchants/M/devices/\(NexoBench.poi)/sync", "/_simulator/cancel"] {
            #expect(try bench.answer(NexoBench.message("Login", "{}", id: "1"), to: path).status == 404)
        }
        bench.start(NexoBench.message("Payment", NexoBench.payment(), id: "2"), to: "/nexo/")
        #expect(bench.work().count == 1)
    }
}
