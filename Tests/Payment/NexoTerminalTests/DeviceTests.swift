import Determinism
import Money
import Payments
import Terminal
import Testing
import Text

@testable import NexoTerminal

/// Login, displays, keys, printer, and totals.
struct DeviceTests {
    private static let lines = #"{"OutputFormat":"Text","OutputText":[{"Text":"Hello\u0007","EndOfLineFlag":true}]}"#

    /// Sends a message whose work the reader ends, and returns the response's object.
    private func play(
        _ bench: inout NexoBench, _ category: String, _ request: String, id: String, _ outcome: TerminalOutcome
    ) throws -> (operation: TerminalOperation, response: JSONValue) {
        bench.start(NexoBench.message(category, request, id: id))
        let begun = try #require(bench.begun().last)
        try bench.report(begun.key, .working)
        try bench.finish(begun.key, outcome)
        let answer = try #require(bench.answers().last)
        return (
            begun.operation, try #require(answer.response.json["SaleToPOIResponse"]?[category + "Response"])
        )
    }

    @Test func `a till that logged in is named until it logs out`() throws {
        var bench = try NexoBench()
        let login =
            #"{"DateTime":"x","OperatorLanguage":"en","SaleSoftware":{"ApplicationName":"a","#
            + #""SoftwareVersion":"1","CertificationCode":"c"}}"#
        let response = try bench.send("Login", login, id: "1")
        #expect(response.result == "Success")
        #expect(response.at("POISystemData", "POITerminalData", "POISerialNumber") == "000000001")
        #expect(try bench.send("Diagnosis", "{}", id: "2")["LoggedSaleID"] == ["TILL1"])
        #expect(try bench.send("Logout", "{}", id: "3").result == "Success")
        #expect(try bench.send("Diagnosis", "{}", id: "4")["LoggedSaleID"] == nil)
    }

    @Test func `the host is tested when the till asks for it`() throws {
        var bench = try NexoBench()
        for (outcome, isReachable) in [
            (TerminalOutcome.done(TerminalReport()), true), (.failed(.hostUnreachable), false),
        ] {
            let (operation, response) = try play(
                &bench, "Diagnosis", #"{"HostDiagnosisFlag":true}"#, id: "\(isReachable)", outcome)
            #expect(operation == .diagnosis)
            #expect(response["HostStatus"]?.elements.first?["IsReachableFlag"] == .bool(isReachable))
            #expect(response.at("POIStatus", "GlobalStatus") == "OK")
        }
    }

    @Test func `a text is shown without control characters, and other formats are refused`() throws {
        var bench = try NexoBench()
        func request(_ content: String) -> String {
            #"{"DisplayOutput":[{"Device":"CustomerDisplay","InfoQualify":"Display","OutputContent":\#(content)}]}"#
        }
        let (operation, response) = try play(
            &bench, "Display", request(Self.lines), id: "1", .done(TerminalReport()))
        #expect(operation == .display(["Hello "]))
        #expect(response["OutputResult"]?.elements.first?.result == "Success")
        let other = try bench.send("Display", request(#"{"OutputFormat":"XHTML"}"#), id: "2")
        #expect(other["OutputResult"]?.elements.first?.result == "UnavailableService")
    }

    @Test(arguments: [
        ("GetConfirmation", TerminalInput.Kind.confirmation, "yes", #""ConfirmedFlag":true"#),
        ("DigitString", .digits(maximum: 4), "17", #""DigitInput":"17""#),
        ("TextString", .text(maximum: 4), "Jo", #""TextInput":"Jo""#),
    ])
    func `a customer answers`(command: String, kind: TerminalInput.Kind, answer: String, result: String) throws {
        var bench = try NexoBench()
        let request =
            #"{"InputData":{"Device":"CustomerInput","InfoQualify":"Input","MaxLength":4,"#
            + #""InputCommand":"\#(command)"}}"#
        bench.start(NexoBench.message("Input", request, id: "1"))
        let begun = try #require(bench.begun().last)
        #expect(begun.operation == .input(TerminalInput(prompt: "", kind: kind)))
        _ = try bench.answer(#"{"answer":"12345"}"#, to: "/_simulator/answer")
        #expect(bench.work().isEmpty)
        _ = try bench.answer(#"{"answer":"\#(answer)"}"#, to: "/_simulator/answer")
        #expect(bench.work() == [.answer(answer, begun.key, terminal: NexoBench.poi)])
        try bench.finish(begun.key, .done(TerminalReport(input: answer)))
        #expect(try #require(bench.answers().last).response.text.contains(result))
    }

    @Test(arguments: [
        (#""InputCommand":"Password""#, "UnavailableService"),
        (#""InputCommand":"DigitString","MaskCharactersFlag":true"#, "NotAllowed"),
        (#""InputCommand":"DigitString","MaxLength":0"#, "MessageFormat"),
    ])
    func `secrets and what can't be asked are refused`(fields: String, condition: String) throws {
        var bench = try NexoBench()
        let response = try bench.send(
            "Input", #"{"InputData":{"Device":"CustomerInput","InfoQualify":"Input",\#(fields)}}"#, id: "1")
        #expect(response["InputResult"]?.result == condition)
    }

    @Test func `a document is printed, or the printer is out of paper`() throws {
        var bench = try NexoBench()
        let request =
            #"{"PrintOutput":{"DocumentQualifier":"Voucher","ResponseMode":"PrintEnd","#
            + #""OutputContent":\#(Self.lines)}}"#
        let (operation, response) = try play(&bench, "Print", request, id: "1", .done(TerminalReport()))
        guard case .print(let receipts) = operation else { throw Unexpected() }
        #expect(receipts.first?.lines.map(\.text) == ["Hello "])
        #expect((response.result, response["DocumentQualifier"]) == ("Success", "Voucher"))
        let failed = try play(&bench, "Print", request, id: "2", .failed(.outOfPaper))
        #expect(failed.response.result == "UnavailableDevice")
    }

    private struct Unexpected: Error {}

    @Test func `a reconciliation has the totals of the batch, and begins another one`() throws {
        var bench = try NexoBench()
        let totals = TerminalTotals(
            firstReceipt: 1, lastReceipt: 2, trace: 1, date: .init(year: 2026, month: 1, day: 2),
            currency: try Currency(code: "EUR"), lines: [.init(brand: "visa", count: 2, amount: 1999)])
        let outcome = TerminalOutcome.done(TerminalReport(totals: totals))
        let read = try play(&bench, "GetTotals", "{}", id: "1", outcome)
        #expect(read.operation == .totals)
        let request = #"{"ReconciliationType":"SaleReconciliation"}"#
        let closed = try play(&bench, "Reconciliation", request, id: "2", outcome)
        #expect(closed.operation == .endOfDay)
        #expect(closed.response["TransactionTotals"] == read.response["TransactionTotals"])
        #expect(closed.response.jsonText.contains(#""TransactionCount":2,"TransactionAmount":19.99"#))
        #expect(closed.response["POIReconciliationID"] == "1000")
        let next = try play(&bench, "GetTotals", "{}", id: "3", .done(TerminalReport()))
        #expect(next.response["POIReconciliationID"] == "1001")
        let other = #"{"ReconciliationType":"AcquirerReconciliation"}"#
        #expect(try bench.send("Reconciliation", other, id: "4").result == "UnavailableService")
    }
}
