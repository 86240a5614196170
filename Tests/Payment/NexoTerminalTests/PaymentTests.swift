import Determinism
import Money
import Payments
import Terminal
import Testing
import Text

@testable import NexoTerminal

/// Payments and what takes them back.
struct PaymentTests {
    @Test func `an approved payment says what was charged, with both receipts`() throws {
        var bench = try NexoBench()
        let payment = try bench.pay(try bench.approval(), id: "1")
        #expect(payment.result == "Success")
        #expect(
            payment.at("PaymentResult", "AmountsResp")?.jsonText == #"{"Currency":"EUR","AuthorizedAmount":12.50}"#)
        #expect(payment.at("PaymentResult", "AuthenticationMethod") == ["OnlinePIN"])
        let card = payment.at("PaymentResult", "PaymentInstrumentData", "CardData")
        #expect(card?.jsonText == #"{"EntryMode":["ICC"],"MaskedPan":"**** 0119","PaymentBrand":"mc"}"#)
        #expect(payment.at("SaleData", "SaleTransactionID", "TransactionID") == "order-17")
        let id = try #require(payment.transactionID)
        #expect(id.split(separator: ".").map(\.count) == [20, 16])
        #expect(payment.detail("pspReference").map { id.hasSuffix("." + $0) } == true)
        #expect(payment.detail("posAuthAmountValue") == "1250")
        let receipts = try #require(payment["PaymentReceipt"]?.elements)
        #expect(receipts.compactMap { $0["DocumentQualifier"] } == ["CashierReceipt", "CustomerReceipt"])
        #expect(receipts.allSatisfy { $0.jsonText.contains("name=TOTAL&value=12.50%20EUR&key=totalAmount") })
    }

    @Test func `a terminal prints the receipts that the till does not`() throws {
        var bench = try NexoBench()
        let request = NexoBench.payment().replacing("tenderOption=ReceiptHandler", with: "shopperReference=1")
        let payment = try bench.pay(try bench.approval(), id: "1", request: request)
        #expect(payment["PaymentReceipt"] == nil)
        let printed = bench.work().compactMap { work -> [TerminalReceipt]? in
            if case .terminal(_, .print(let receipts)) = work { receipts } else { nil }
        }
        #expect(printed.first?.map(\.kind) == [.merchant, .customer])
        #expect(printed.first?.first?.lines.contains { $0.text == "TOTAL 12.50 EUR" } == true)
    }

    @Test(arguments: [
        ("51", "Refusal", "210 Not enough balance"), ("55", "WrongPIN", "129 Invalid online PIN"),
        ("14", "InvalidCard", "214 Declined online"), ("75", "Refusal", "128 Online PIN tries exceeded"),
        ("ZZ", "Refusal", "214 Declined online"), (nil, "Refusal", "214 Declined offline"),
    ])
    func `a decline has the protocol's words and no amount`(code: String?, condition: String, reason: String) throws {
        var bench = try NexoBench()
        let payment = try bench.pay(bench.decline(code), id: "1")
        #expect(payment.result == condition)
        #expect(payment.detail("refusalReason") == reason)
        #expect(payment.at("PaymentResult", "AmountsResp") == nil)
        #expect(payment.transactionID?.contains(".") == false)
    }

    @Test(arguments: [
        (TerminalOutcome.failed(.hostUnreachable), "UnreachableHost"), (.failed(.cardRemoved), "Cancel"),
        (.failed(.readerDefective), "DeviceOut"), (.failed(.chipError), "InvalidCard"),
    ])
    func `a failure has a condition`(outcome: TerminalOutcome, condition: String) throws {
        var bench = try NexoBench()
        #expect(try bench.pay(outcome, id: "1").result == condition)
    }

    @Test(arguments: TerminalFailure.allCases)
    func `each failure is one of the protocol's conditions`(failure: TerminalFailure) {
        #expect(NexoFailure(.failed(failure)) != nil)
        #expect(NexoFailure(.done(TerminalReport())) == nil)
    }

    @Test func `a payment is given back in parts, and never more than was charged`() throws {
        var bench = try NexoBench()
        let id = try #require(try bench.pay(try bench.approval(), id: "1").transactionID)
        let part = try bench.reverse(
            NexoBench.reversal(id, #","ReversedAmount":5"#), id: "2", try bench.approval(500))
        #expect(part.result == "Success")
        #expect(part["ReversedAmount"] == .number("5.00"))
        let tooMuch = try bench.reverse(
            NexoBench.reversal(id, #","ReversedAmount":7.51"#), id: "3", try bench.approval(751))
        #expect(tooMuch.result == "NotAllowed")
        // A reversal that failed leaves its amount.
        let failed = try bench.reverse(NexoBench.reversal(id), id: "4", .failed(.hostUnreachable))
        #expect(failed.result == "UnreachableHost")
        #expect(failed["ReversedAmount"] == nil)
        let rest = try bench.reverse(NexoBench.reversal(id), id: "5", try bench.approval(750))
        #expect(rest["ReversedAmount"] == .number("7.50"))
        let again = try bench.reverse(NexoBench.reversal(id), id: "6", try bench.approval(1))
        #expect((again.result, again.detail("message")) == ("NotAllowed", "Transaction is already voided"))
    }

    @Test func `a reversal of what is not there, or of a refund, is refused`() throws {
        var bench = try NexoBench()
        #expect(try bench.send("Reversal", NexoBench.reversal("nothing"), id: "1").result == "NotFound")
        let request = NexoBench.payment(data: #","PaymentData":{"PaymentType":"Refund"}"#)
        let refund = try bench.pay(try bench.approval(), id: "2", request: request)
        #expect(refund.detail("transactionType") == "REFUND")
        let id = try #require(refund.transactionID)
        #expect(try bench.send("Reversal", NexoBench.reversal(id), id: "3").result == "NotAllowed")
        let sale = try #require(try bench.pay(try bench.approval(), id: "4").transactionID)
        let data =
            #","SaleData":{"SaleToAcquirerData":"currency=USD","SaleTransactionID":"#
            + #"{"TransactionID":"1","TimeStamp":"x"}}"#
        #expect(try bench.send("Reversal", NexoBench.reversal(sale, data), id: "5").result == "MessageFormat")
        #expect(bench.begun().isEmpty)
    }

    @Test func `a held amount is charged in part, or released as a whole`() throws {
        var bench = try NexoBench()
        let hold = NexoBench.payment(data: #","PaymentData":{"PaymentType":"OneTimeReservation"}"#)
        let first = try #require(try bench.pay(try bench.approval(), id: "1", request: hold).transactionID)
        #expect(
            try bench.send("Reversal", NexoBench.reversal(first, #","ReversedAmount":1"#), id: "2").result
                == "NotAllowed")
        bench.start(NexoBench.message("Reversal", NexoBench.reversal(first), id: "3"))
        let release = try #require(bench.begun().first)
        let held = try #require(bench.terminal.desks[NexoBench.poi]?.transactions[first]?.key)
        #expect(release.operation == .release(of: .request(held)))
        try bench.report(release.key, .working)
        try bench.finish(release.key, try bench.approval())

        let second = try #require(try bench.pay(try bench.approval(), id: "4", request: hold).transactionID)
        func completion(_ amount: String) -> String {
            NexoBench.payment(
                #"\#(amount)},"OriginalPOITransaction":{"POITransactionID":{"TransactionID":"\#(second)","#
                    + #""TimeStamp":"x"}"#, data: #","PaymentData":{"PaymentType":"Completion"}"#)
        }
        #expect(try bench.send("Payment", completion("12.51"), id: "5").result == "NotAllowed")
        bench.start(NexoBench.message("Payment", completion("10"), id: "6"))
        let capture = try #require(bench.begun().first)
        try bench.report(capture.key, .working)
        try bench.finish(capture.key, try bench.approval(1000))
        for (category, request) in [("Payment", completion("1")), ("Reversal", NexoBench.reversal(second))] {
            let again = try bench.send(category, request, id: "7")
            #expect(again.result == "NotAllowed")
            #expect(again.detail("message")?.hasPrefix("The hold was completed") == true)
        }
        #expect(bench.begun().isEmpty)
    }

    @Test(arguments: [
        "authorisationType=PreAuth", "authorisationType=FinalAuth&authorisationType=PreAuth", "manualCapture=true",
        "tenderOption=ReceiptHandler%2CAskGratuity", "splits=x", "split.api=1", "currency=USD",
        Array(#"{"tenderOption":"ReceiptHandler","authorisationType":"PreAuth"}"#.utf8).base64,
    ])
    func `SaleToAcquirerData that would change the payment is refused`(data: String) throws {
        var bench = try NexoBench()
        let request = NexoBench.payment().replacing("tenderOption=ReceiptHandler", with: data)
        let refused = try bench.send("Payment", request, id: "1")
        #expect(["NotAllowed", "MessageFormat"].contains(refused.result), "\(refused.jsonText)")
        #expect(bench.begun().isEmpty)
    }

    @Test(arguments: [
        "authorisationType=FinalAuth&manualCapture=false",
        "shopperEmail=a%40example.com&metadata.order=17&currency=EUR",
        Array(#"{"manualCapture":false,"applicationInfo":{"merchantApplication":{"name":"Till"}}}"#.utf8).base64,
    ])
    func `other SaleToAcquirerData is taken`(data: String) throws {
        var bench = try NexoBench()
        let request = NexoBench.payment().replacing("tenderOption=ReceiptHandler", with: data)
        #expect(try bench.pay(try bench.approval(), id: "1", request: request).result == "Success")
    }

    @Test func `an acquired card holds the terminal until it is charged or let go`() throws {
        var bench = try NexoBench()
        let sale =
            #"{"SaleData":{"SaleTransactionID":{"TransactionID":"1","TimeStamp":"x"}},"#
            + #""CardAcquisitionTransaction":{}}"#
        func acquire(_ id: String) throws -> String {
            bench.start(NexoBench.message("CardAcquisition", sale, id: id))
            let key = try #require(bench.begun().last?.key)
            try bench.report(key, .waitingForCard, .cardPresented)
            let card = CardDetails(
                brand: "visa", lastFour: "0010", entryMode: .chip, cardholderVerification: .none)
            try bench.finish(key, .done(TerminalReport(card: card)))
            let response = try #require(
                bench.answers().last?.response.json["SaleToPOIResponse"]?["CardAcquisitionResponse"])
            #expect(response.at("PaymentInstrumentData", "CardData", "PaymentBrand") == "visa")
            return try #require(response.transactionID)
        }
        let first = try acquire("1")
        #expect(try bench.send("Payment", NexoBench.payment(), id: "2", till: "TILL2").result == "Busy")
        #expect(try bench.send("Payment", NexoBench.payment(), id: "3").result == "InsertedCard")
        func payment(with card: String) -> String {
            NexoBench.payment(
                data: #","PaymentData":{"CardAcquisitionReference":{"TransactionID":"\#(card)","TimeStamp":"x"}}"#)
        }
        #expect(try bench.send("Payment", payment(with: "other"), id: "4").result == "NotFound")
        #expect(try bench.pay(try bench.approval(), id: "5", request: payment(with: first)).result == "Success")

        _ = try acquire("6")
        let release = #"{"TransactionAction":"AbortTransaction"}"#
        #expect(try bench.send("EnableService", release, id: "7", till: "TILL2").result == "NotFound")
        #expect(try bench.send("EnableService", release, id: "8").result == "Success")

        _ = try acquire("9")
        _ = try bench.answer("{}", to: "/_simulator/cancel")
        _ = try acquire("10")
        bench.advance(TerminalPatience.cardholder - .seconds(10))
        #expect(try bench.send("Payment", NexoBench.payment(), id: "11", till: "TILL2").result == "Busy")
        bench.advance(.seconds(10))
        bench.start(NexoBench.message("Payment", NexoBench.payment(), id: "12", till: "TILL2"))
        #expect(bench.begun().count == 1)
    }

    @Test(arguments: [
        (1124, NexoTestAmount.responseCode("51")), (128, .responseCode("14")), (99_134, .responseCode("55")),
        (166, .cardholderCancels), (1250, nil), (24, nil),
    ])
    func `the last three digits of an amount decide`(minorUnits: Int, test: NexoTestAmount?) {
        #expect(NexoTestAmount(minorUnits: Int64(minorUnits)) == test)
    }
}
