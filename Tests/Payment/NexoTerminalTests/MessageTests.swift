import Determinism
import Payments
import Terminal
import Testing
import Text

@testable import NexoTerminal

/// What a message must look like, and what is said when it does not.
struct MessageTests {
    @Test func `the response has the request's header with another type`() throws {
        var bench = try NexoBench()
        let response = try bench.answer(NexoBench.message("Diagnosis", "{}", id: "A1"))
        #expect(response.contentType == "application/json")
        #expect(
            response.text.hasPrefix(
                #"{"SaleToPOIResponse":{"MessageHeader":{"ProtocolVersion":"3.0","MessageClass":"Service","#
                    + #""MessageCategory":"Diagnosis","SaleID":"TILL1","ServiceID":"A1","#
                    + #""POIID":"P400Plus-000000001","MessageType":"Response"},"DiagnosisResponse":{"#))
    }

    @Test(arguments: [
        ("", "Input is not a JSONObject"), ("[]", "Input is not a JSONObject"), ("{", "Input is not a JSONObject"),
        (#"{"SaleToPOIRequest":{},"SaleToPOIRequest":{}}"#, "Input is not a JSONObject"),
        ("{}", "Input is not a SaleToPOIRequest"), (#"{"SaleToPOIRequest":1}"#, "MessageHeader is missing"),
        (#"{"SaleToPOIRequest":{"MessageHeader":{}}}"#, "MessageCategory is missing or unknown"),
        (
            #"{"SaleToPOIRequest":{"MessageHeader":{"MessageCategory":"Dance"}}}"#,
            "MessageCategory is missing or unknown"
        ),
    ])
    func `what is no message is rejected with an event`(body: String, message: String) throws {
        var bench = try NexoBench()
        let response = try bench.answer(body)
        #expect(response.status == 200)
        let event = try #require(response.json["SaleToPOIRequest"]?["EventNotification"])
        #expect(event["EventToNotify"] == "Reject")
        #expect(event["EventDetails"]?.string == "message=" + message.replacing(" ", with: "+"))
        #expect(event["RejectedMessage"]?.string == Array(body.utf8).base64)
    }

    @Test func `a terminal that is not there is rejected`() throws {
        var bench = try NexoBench()
        for (poi, path) in [
            ("P400Plus-9", "/sync"), (NexoBench.poi, "/v1/merchants/M/devices/P400Plus-000000002/sync"),
        ] {
            let response = try bench.answer(NexoBench.message("Diagnosis", "{}", id: "1", poi: poi), to: path)
            #expect(response.text.contains("Did+not+receive+a+response+from+the+POI."))
        }
        let right = "/v1/merchants/M/devices/\(NexoBench.poi)/sync"
        #expect(try bench.answer(NexoBench.message("Diagnosis", "{}", id: "1"), to: right).text.contains("Success"))
    }

    @Test(arguments: [
        (NexoBench.message("Payment", NexoBench.payment(), id: "1", version: "4.0"), "ProtocolVersion"),
        (NexoBench.message("Payment", NexoBench.payment(), id: "12345678901"), "ServiceID"),
        (NexoBench.message("Payment", NexoBench.payment(), id: ""), "ServiceID"),
        (NexoBench.message("Payment", NexoBench.payment(), id: "1", till: ""), "SaleID"),
        (NexoBench.message("Payment", "[]", id: "1"), "PaymentRequest"),
        (NexoBench.message("Payment", "{}", id: "1"), "PaymentTransaction"),
        (NexoBench.message("Payment", NexoBench.payment(data: #","Oops":1"#), id: "1"), "Oops"),
        (NexoBench.message("Payment", NexoBench.payment("\"12.5\""), id: "1"), "RequestedAmount"),
        (NexoBench.message("Payment", NexoBench.payment("1.005"), id: "1"), "RequestedAmount"),
        (NexoBench.message("Payment", NexoBench.payment("0"), id: "1"), "RequestedAmount"),
        (NexoBench.message("Payment", NexoBench.payment("-1"), id: "1"), "RequestedAmount"),
        (NexoBench.message("Payment", NexoBench.payment("1e30"), id: "1"), "RequestedAmount"),
        (NexoBench.message("Payment", NexoBench.payment(currency: "ABC"), id: "1"), "Currency"),
        (
            NexoBench.message("Payment", NexoBench.payment(data: #","PaymentData":{"PaymentType":"X"}"#), id: "1"),
            "PaymentType"
        ),
    ])
    func `a wrong field is named, and nothing begins`(message: String, field: String) throws {
        var bench = try NexoBench()
        let response = try bench.answer(message)
        let payment = try #require(response.json["SaleToPOIResponse"]?["PaymentResponse"])
        #expect(payment.result == "MessageFormat")
        #expect(payment.detail("errors")?.contains("field \(field): ") == true)
        #expect(bench.work().isEmpty)
        // The ServiceID is free.
        bench.start(NexoBench.message("Payment", NexoBench.payment(), id: "1"))
        #expect(bench.begun().count == 1)
    }

    @Test(arguments: [
        #","LoyaltyData":[]"#, #","PaymentData":{"SplitPaymentFlag":true}"#, #","PaymentData":{"Instalment":{}}"#,
    ])
    func `what would change the payment and can't be done is refused`(data: String) throws {
        var bench = try NexoBench()
        let payment = try bench.send("Payment", NexoBench.payment(data: data), id: "1")
        #expect(payment.result == "NotAllowed")
        #expect(bench.work().isEmpty)
    }

    @Test(arguments: ["TipAmount", "CashBackAmount", "PaidAmount", "MinimumAmountToDeliver"])
    func `an amount beside the requested one is refused unless it is zero`(name: String) throws {
        var bench = try NexoBench()
        let payment = try bench.send("Payment", NexoBench.payment("12.5,\"\(name)\":1"), id: "1")
        #expect(payment.result == "NotAllowed")
        bench.start(NexoBench.message("Payment", NexoBench.payment("12.5,\"\(name)\":0.00"), id: "2"))
        #expect(bench.begun().count == 1)
    }

    @Test(arguments: ["Admin", "BalanceInquiry", "Loyalty", "PIN", "StoredValue", "Transmit"])
    func `a category that is not answered is unavailable`(category: String) throws {
        var bench = try NexoBench()
        let isDevice = ["PIN", "Transmit"].contains(category)
        let message = NexoBench.message(category, "{}", id: "1")
            .replacing(#""Service","#, with: isDevice ? #""Device","# : #""Service","#)
        let response = try bench.answer(message)
        #expect(
            response.json["SaleToPOIResponse"]?[category + "Response"]?.result
                == "UnavailableService")
    }

    @Test(arguments: [
        ("GET", "/sync", 405), ("POST", "/", 404), ("POST", "/v1/merchants/M/devices/X/dance", 404),
        ("GET", "/v1/merchants/M/devices/X/status", 404), ("POST", "/_simulator/dance", 404),
    ])
    func `other paths and methods are refused by HTTP`(method: String, path: String, status: Int) throws {
        var bench = try NexoBench()
        #expect(try bench.answer("{}", to: path, method: method).status == status)
    }

    @Test func `the cloud's device calls list the terminals`() throws {
        var bench = try NexoBench()
        let list = try bench.answer("", to: "/v1/merchants/M/connectedDevices?store=S", method: "GET")
        #expect(list.text == #"{"uniqueDeviceIds":["P400Plus-000000001","P400Plus-000000002"]}"#)
        let status = try bench.answer("", to: "/v1/merchants/M/devices/\(NexoBench.poi)/status", method: "GET")
        #expect(status.text == #"{"deviceId":"P400Plus-000000001","status":"ONLINE"}"#)
    }
}
