import Determinism
import Payments
import Terminal
import Testing
import Text

@testable import NexoTerminal

/// Answers that are lost, messages that come twice, and tills that come at once.
struct RecoveryTests {
    @Test func `a till that lost the answer gets it by TransactionStatus, with receipts if it wants them`() throws {
        var bench = try NexoBench()
        _ = try bench.answer(#"{"fault":"response_lost"}"#, to: "/_simulator/faults")
        bench.start(NexoBench.message("Payment", NexoBench.payment(), id: "7"))
        try bench.finishWithCard(try bench.approval())
        #expect(bench.answers().map(\.isLost) == [true])

        let plain = try bench.status(of: "7")
        #expect(plain.result == "Success")
        let repeated = try #require(plain["RepeatedMessageResponse"])
        #expect(repeated.at("MessageHeader", "ServiceID") == "7")
        #expect(repeated.at("MessageHeader", "MessageType") == "Response")
        let payment = try #require(repeated.at("RepeatedResponseMessageBody", "PaymentResponse"))
        #expect(payment.result == "Success")
        #expect(payment["PaymentReceipt"] == nil)
        let printed = try bench.status(
            of: "7", #","ReceiptReprintFlag":true,"DocumentQualifier":["CustomerReceipt"]"#)
        let receipts = printed.at("RepeatedMessageResponse", "RepeatedResponseMessageBody", "PaymentResponse")
        #expect(receipts?["PaymentReceipt"]?.elements.map { $0["DocumentQualifier"] } == ["CustomerReceipt"])
        // Without a reference it is the newest transaction.
        #expect(try bench.send("TransactionStatus", "{}", id: "8")["RepeatedMessageResponse"] != nil)
    }

    @Test func `a payment is in progress until its result is known, also while the host does not answer`() throws {
        var bench = try NexoBench()
        bench.start(NexoBench.message("Payment", NexoBench.payment(), id: "1"))
        let key = try #require(bench.begun().first?.key)
        try bench.report(key, .waitingForCard)
        #expect(try bench.status(of: "1").result == "InProgress")
        try bench.report(key, .cardPresented, .authorizing, .recovering)
        #expect(try bench.status(of: "1").result == "InProgress")
        try bench.report(key, .removingCard)
        try bench.finish(key, .failed(.hostUnreachable))
        let answer = try #require(bench.answers().last)
        #expect(answer.response.json["SaleToPOIResponse"]?["PaymentResponse"]?.result == "UnreachableHost")
        #expect(try bench.status(of: "1").result == "Success")
    }

    @Test func `what never came is not found, and the newest message is named`() throws {
        var bench = try NexoBench()
        #expect(try bench.send("TransactionStatus", "{}", id: "1").result == "NotFound")
        _ = try bench.pay(try bench.approval(), id: "S7")
        let status = try bench.status(of: "S8")
        #expect(status.result == "NotFound")
        #expect(status.detail("message")?.hasSuffix("last such Request has SaleID=TILL1 ServiceID=S7") == true)
        #expect(try bench.status(of: "S7", till: "TILL2").result == "NotFound")
    }

    @Test func `a ServiceID counts once in 48 hours, and charges never twice`() throws {
        var bench = try NexoBench()
        _ = try bench.pay(try bench.approval(), id: "1")
        for amount in ["12.5", "99"] {
            #expect(try bench.send("Payment", NexoBench.payment(amount), id: "1").result == "NotAllowed")
        }
        #expect(bench.begun().isEmpty)
        // Another till has numbers of its own.
        bench.start(NexoBench.message("Payment", NexoBench.payment(), id: "1", till: "TILL2"))
        #expect(bench.begun().count == 1)
    }

    @Test func `a ServiceID is free again after 48 hours, but the till's newest transaction stays`() throws {
        var bench = try NexoBench()
        _ = try bench.pay(try bench.approval(), id: "1")
        _ = try bench.pay(try bench.approval(), id: "2")
        bench.advance(.seconds(49 * 3600))
        #expect(try bench.send("Payment", NexoBench.payment(), id: "2").result == "NotAllowed")
        bench.start(NexoBench.message("Payment", NexoBench.payment(), id: "1"))
        #expect(bench.begun().count == 1)
    }

    @Test func `the same message while it is carried out is told to wait`() throws {
        var bench = try NexoBench()
        bench.start(NexoBench.message("Payment", NexoBench.payment(), id: "1"))
        for (id, till) in [("1", "TILL1"), ("2", "TILL1"), ("1", "TILL2")] {
            let busy = try bench.send("Payment", NexoBench.payment(), id: id, till: till)
            #expect((busy.result, busy.detail("serviceId")) == ("Busy", "1"))
        }
        #expect(try bench.send("Diagnosis", "{}", id: "3").at("POIStatus", "GlobalStatus") == "Busy")
        // The second terminal is free.
        bench.start(NexoBench.message("Payment", NexoBench.payment(), id: "1", poi: "P400Plus-000000002"))
        #expect(bench.begun().count == 2)
    }

    @Test func `a Completion and a Reversal that come twice wait, and are then duplicates`() throws {
        var bench = try NexoBench()
        let hold = NexoBench.payment(data: #","PaymentData":{"PaymentType":"FirstReservation"}"#)
        let held = try #require(try bench.pay(try bench.approval(), id: "1", request: hold).transactionID)
        let completion = NexoBench.payment(
            #"12.5},"OriginalPOITransaction":{"POITransactionID":{"TransactionID":"\#(held)","TimeStamp":"x"}"#,
            data: #","PaymentData":{"PaymentType":"Completion"}"#)
        bench.start(NexoBench.message("Payment", completion, id: "2"))
        let capture = try #require(bench.begun().last?.key)
        for id in ["2", "3"] { #expect(try bench.send("Payment", completion, id: id).result == "Busy") }
        try bench.report(capture, .working)
        try bench.finish(capture, try bench.approval())
        let charged = try #require(
            bench.answers().last?.response.json.at("SaleToPOIResponse", "PaymentResponse")?.transactionID)
        let again = try bench.send("Payment", completion, id: "2")
        #expect(again.result == "NotAllowed" && again.detail("message")?.hasPrefix("Duplicate message") == true)

        let reversal = NexoBench.reversal(charged)
        bench.start(NexoBench.message("Reversal", reversal, id: "4"))
        let refund = try #require(bench.begun().last?.key)
        for id in ["4", "5"] { #expect(try bench.send("Reversal", reversal, id: id).result == "Busy") }
        try bench.report(refund, .working)
        try bench.finish(refund, try bench.approval())
        let twice = try bench.send("Reversal", reversal, id: "4")
        #expect(twice.result == "NotAllowed" && twice.detail("message")?.hasPrefix("Duplicate message") == true)
        let voided = try bench.send("Reversal", reversal, id: "5")
        #expect(voided.detail("message") == "Transaction is already voided")
        #expect(bench.begun().isEmpty)
    }

    @Test func `without its card reader, a terminal says so`() throws {
        var bench = try NexoBench { $0.isSimulated = false }
        func status(_ id: String) throws -> JSONValue? {
            try bench.answer(NexoBench.message("Diagnosis", "{}", id: id), to: "/nexo/").json
                .at("SaleToPOIResponse", "DiagnosisResponse", "POIStatus")
        }
        #expect(try status("1")?["GlobalStatus"] == "OK")
        bench.terminal.setReader(isOnline: false)
        let away = try status("2")
        #expect(away?["GlobalStatus"] == "Maintenance" && away?["CardReaderOKFlag"] == false)
        bench.terminal.setReader(isOnline: true)
        #expect(try status("3")?["CardReaderOKFlag"] == true)
    }

    @Test func `an abort ends a payment before the host is asked, and comes too late afterward`() throws {
        var bench = try NexoBench()
        func abort(_ id: String) -> String {
            NexoBench.message(
                "Abort", #"{"MessageReference":{"ServiceID":"\#(id)"},"AbortReason":"MerchantAbort"}"#, id: "abort")
        }
        bench.start(NexoBench.message("Payment", NexoBench.payment(), id: "1"))
        let key = try #require(bench.begun().first?.key)
        try bench.report(key, .waitingForCard)
        #expect(try bench.answer(abort("other")).body.isEmpty)
        #expect(bench.work().isEmpty)
        let response = try bench.answer(abort("1"))
        #expect((response.status, response.body) == (200, []))
        #expect(bench.work() == [.terminal(NexoBench.poi, .cancel(key, .byTill))])
        try bench.finish(key, .canceled(.byTill))
        let ended = try #require(bench.answers().last)
        #expect(ended.response.json["SaleToPOIResponse"]?["PaymentResponse"]?.result == "Aborted")

        bench.start(NexoBench.message("Payment", NexoBench.payment(), id: "2"))
        let second = try #require(bench.begun().first?.key)
        try bench.report(second, .waitingForCard, .cardPresented, .authorizing)
        #expect(try bench.answer(abort("2")).body.isEmpty)
        #expect(bench.work().isEmpty)
        try bench.finish(second, try bench.approval())
        let late = try #require(bench.answers().last)
        #expect(late.response.json["SaleToPOIResponse"]?["PaymentResponse"]?.result == "Success")
    }

    @Test func `an abort that is malformed is rejected with an event`() throws {
        var bench = try NexoBench()
        let response = try bench.answer(NexoBench.message("Abort", #"{"AbortReason":"x"}"#, id: "1"))
        #expect(response.text.contains("\"EventToNotify\":\"Reject\""))
    }

    @Test func `the cloud says at once that it took a message, and sends the response to the event address`() throws {
        var bench = try NexoBench()
        _ = try bench.answer(#"{"address":"http://till/"}"#, to: "/_simulator/events")
        let taken = try bench.answer(NexoBench.message("Payment", NexoBench.payment(), id: "1"), to: "/async")
        #expect(taken.text == "ok")
        try bench.finishWithCard(try bench.approval())
        #expect(bench.answers().isEmpty)
        let wall = VirtualTimeSource.standardStart
        let deliveries = bench.terminal.takeDeliveries(at: wall)
        let texts = deliveries.map { String(decoding: $0.body, as: UTF8.self) }
        #expect(deliveries.allSatisfy { $0.address == "http://till/" })
        #expect(texts.count == 4)
        for event in ["event%3DTENDER_CREATED", "event%3DCARD_INSERTED", "event%3DTENDER_FINAL"] {
            let event = event.replacing("%3D", with: "=")
            #expect(texts.contains { $0.contains(event) })
        }
        #expect(texts.contains { $0.hasPrefix(#"{"SaleToPOIResponse""#) && $0.contains("PaymentResponse") })
        // What the till did not take comes again, and is given up at last.
        for delivery in deliveries { bench.terminal.record(500, of: delivery, at: wall) }
        #expect(bench.terminal.takeDeliveries(at: wall).isEmpty)
        let later = try #require(bench.terminal.nextDelivery)
        let again = bench.terminal.takeDeliveries(at: later)
        #expect(again == deliveries)
        for delivery in again { bench.terminal.record(200, of: delivery, at: later) }
        #expect(bench.terminal.nextDelivery == nil)
    }

    @Test func `a terminal that is offline does not answer, and the cloud says so`() throws {
        var bench = try NexoBench()
        _ = try bench.answer(#"{"fault":"terminal_offline"}"#, to: "/_simulator/faults")
        let message = NexoBench.message("Diagnosis", "{}", id: "1")
        #expect(try bench.answer(message).text.contains("Did+not+receive+a+response+from+the+POI."))
        bench.start(message, to: "/nexo/")
        #expect(bench.answers().map(\.isLost) == [true])
        _ = try bench.answer("", to: "/_simulator/faults", method: "DELETE")
        #expect(try bench.answer(message).text.contains("Success"))
    }

    @Test(arguments: [
        ("faults", #"{"fault":"flood"}"#), ("faults", #"{"fault":"response_lost","times":0}"#),
        ("faults", #"{"fault":"response_lost","more":1}"#), ("cardholder", #"{"mode":"asleep"}"#),
        ("events", #"{"address":"ftp://x"}"#), ("present", "{}"), ("answer", #"{"answer":"yes"}"#), ("cancel", "["),
    ])
    func `a wrong call of the simulation is refused`(call: String, body: String) throws {
        var bench = try NexoBench()
        #expect(try bench.answer(body, to: "/_simulator/" + call).status == 400)
    }

    @Test func `the same requests get the same bytes`() throws {
        func play() throws -> [UInt8] {
            var bench = try NexoBench(seed: 7)
            bench.start(NexoBench.message("Payment", NexoBench.payment(), id: "1"))
            try bench.finishWithCard(try bench.approval())
            return try #require(bench.answers().last).response.body
        }
        #expect(try play() == (try play()))
    }
}
