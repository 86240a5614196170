import Payments
import Terminal
import Testing

@testable import StripeTerminal

/// Questions to customers at readers.
struct InputTests {
    private static let email = "inputs[0][type]=email&inputs[0][custom_text][title]=Your+address"
    private static let form =
        email + "&inputs[1][type]=selection&inputs[1][custom_text][title]=Fit&inputs[1][required]=true"
        + "&inputs[1][selection][choices][0][id]=s&inputs[1][selection][choices][0][text]=Small"
        + "&inputs[1][selection][choices][1][id]=l&inputs[1][selection][choices][1][text]=Large"
        + "&inputs[1][toggles][0][title]=News&inputs[1][toggles][0][default_value]=enabled&metadata[order]=17"

    /// Begins the questions at a new reader. Returns the reader and the first request of its terminal.
    private func ask(_ bench: inout StripeBench, _ form: String = Self.form) throws -> (String, IdempotencyKey) {
        let reader = try bench.reader()
        let answer = try bench.post("/v1/terminal/readers/\(reader)/collect_inputs", form)
        try #require(answer.response.status == 200, "\(answer.text)")
        return (reader, try #require(bench.terminal.desks[reader]?.running))
    }

    private func helper(_ reader: String, _ name: String) -> String {
        "/v1/test_helpers/terminal/readers/\(reader)/\(name)_input_collection"
    }

    /// Does what simulated customers are to do, until nothing is left. Returns the answers they gave.
    private func obey(_ bench: inout StripeBench) throws -> [StripeInputAnswer] {
        var given: [StripeInputAnswer] = []
        var work = bench.work()
        while !work.isEmpty {
            for case .answer(let answer, let key, _) in work {
                given.append(answer)
                try bench.finish(key, answer.outcome)
            }
            work = bench.work()
        }
        return given
    }

    @Test func `a reader asks one question after the other, and the action has the answers`() throws {
        var bench = StripeBench()
        let (reader, first) = try ask(&bench)
        #expect(
            bench.work() == [
                .terminal(
                    reader: reader,
                    .begin(
                        TerminalRequest(
                            key: first, till: TillID(rawValue: "stripe"),
                            operation: .input(TerminalInput(prompt: "Your address", kind: .text(maximum: 254))))))
            ])
        let call = bench.start("POST", helper(reader, "succeed"))
        #expect(try obey(&bench) == [.entered("customer@example.com"), .entered("s")])
        let answer = try #require(bench.answers().first { $0.call == call })
        #expect(answer.text.contains(#""type":"collect_inputs""#) && answer.text.contains(#""status":"succeeded""#))
        #expect(answer.text.contains(#""email":{"value":"customer@example.com"}"#))
        #expect(answer.text.contains(#""id":"s","text":"Small""#))
        #expect(answer.text.contains(#""skipped":false"#) && answer.text.contains(#""value":"enabled""#))
        #expect(answer.text.contains(#""metadata":{"order":"17"}"#))
        #expect(bench.eventTypes == ["terminal.reader.action_succeeded"])
        #expect(try bench.post(helper(reader, "succeed")).response.status == 400)
    }

    @Test func `what is not required can be skipped, and the rest can't`() throws {
        var bench = StripeBench()
        let (reader, _) = try ask(&bench)
        bench.start("POST", helper(reader, "succeed"), "skip_non_required_inputs=all")
        #expect(try obey(&bench) == [.skipped, .entered("s")])
        let text = try #require(bench.answers().last?.text)
        #expect(text.contains(#""email":{"value":null},"required":false,"skipped":true"#))
        let other = try ask(&bench).0
        let answers = "reader=\(other)&answers[]=a@example.com&answers[]="
        #expect(try bench.post("/_simulator/inputs", answers).response.status == 400)
    }

    @Test func `the control interface gives the answers of a test`() throws {
        var bench = StripeBench()
        let (reader, _) = try ask(&bench)
        for wrong in ["answers[]=a@b", "answers[]=nobody&answers[]=s", "answers[]=&answers[]=x", ""] {
            #expect(try bench.post("/_simulator/inputs", "reader=\(reader)&" + wrong).response.status == 400)
        }
        bench.start("POST", "/_simulator/inputs", "reader=\(reader)&answers[]=&answers[]=l")
        #expect(try obey(&bench) == [.skipped, .entered("l")])
        #expect(bench.answers().last?.text.contains(#""id":"l","text":"Large""#) == true)
    }

    @Test(
        arguments: [
            ("timeout_input_collection", "", "collect_inputs_timed_out"), ("", "&cancel=true", "customer_canceled"),
        ])
    func `questions that end without answers have failed`(name: String, form: String, code: String) throws {
        var bench = StripeBench()
        let (reader, _) = try ask(&bench)
        if name.isEmpty {
            bench.start("POST", "/_simulator/inputs", "reader=\(reader)" + form)
        } else {
            bench.start("POST", "/v1/test_helpers/terminal/readers/\(reader)/\(name)")
        }
        #expect(try obey(&bench).count == 1)
        let text = try #require(bench.answers().last?.text)
        #expect(text.contains(#""failure_code":"\#(code)""#) && text.contains(#""status":"failed""#))
        #expect(bench.eventTypes == ["terminal.reader.action_failed"])
    }

    @Test func `a till ends questions by a cancellation, also between two of them, and by a payment`() throws {
        var bench = StripeBench()
        let (reader, first) = try ask(&bench)
        try bench.finish(first, .done(TerminalReport(input: "a@example.com")))
        let second = try #require(bench.terminal.desks[reader]?.running)
        #expect(second != first)
        _ = bench.work()
        bench.start("POST", "/v1/terminal/readers/\(reader)/cancel_action")
        #expect(bench.work() == [.terminal(reader: reader, .cancel(second, .byTill))])
        try bench.finish(second, .canceled(.byTill))
        #expect(bench.answers().last?.text.contains(#""action":null"#) == true)

        _ = try bench.post("/v1/terminal/readers/\(reader)/collect_inputs", Self.email)
        let third = try #require(bench.terminal.desks[reader]?.running)
        #expect(
            try bench.post("/v1/test_helpers/terminal/readers/\(reader)/present_payment_method").response.status == 400)
        let intent = try bench.intent()
        bench.start("POST", "/v1/terminal/readers/\(reader)/process_payment_intent", "payment_intent=\(intent)")
        try bench.finish(third, .canceled(.byTill))
        #expect(bench.answers().last?.text.contains(#""type":"process_payment_intent""#) == true)
        #expect(bench.eventTypes == ["payment_intent.created"])
    }

    @Test func `a helper answers only the questions that it was called for`() throws {
        var bench = StripeBench()
        let (reader, first) = try ask(&bench)
        bench.start("POST", helper(reader, "succeed"))
        // A second helper comes while the first one's customer is at it.
        #expect(try bench.post(helper(reader, "timeout")).response.status == 400)
        try bench.finish(first, .failed(.readerDefective))
        #expect(bench.answers().last?.text.contains(#""failure_code":"processing_error""#) == true)
        _ = bench.work()
        _ = try bench.post("/v1/terminal/readers/\(reader)/collect_inputs", Self.email)
        #expect(!bench.work().contains { if case .answer = $0 { true } else { false } })
    }

    /// Forms with the code of their error, and the parameter that it names.
    private static let wrong: [(String, String, String)] = [
        ("", "parameter_missing", "inputs"),
        ("inputs[0][type]=email", "parameter_missing", "inputs[0][custom_text]"),
        ("inputs[0][custom_text][title]=A", "parameter_missing", "inputs[0][type]"),
        ("\(email)&inputs[0][color]=red", "parameter_unknown", "inputs[0][color]"),
        ("\(email)&inputs[0][selection][choices][0][id]=a", "parameter_unknown", "inputs[0][selection]"),
        ("inputs[0][type]=selection&inputs[0][custom_text][title]=A", "parameter_missing", "inputs[0][selection]"),
        ("\(email)&inputs[0][toggles][0][default_value]=enabled", "parameter_missing", "inputs[0][toggles][0][title]"),
    ]

    @Test(arguments: wrong)
    func `wrong questions are errors that name their place`(form: String, code: String, parameter: String) throws {
        var bench = StripeBench()
        let reader = try bench.reader()
        let answer = try bench.post("/v1/terminal/readers/\(reader)/collect_inputs", form)
        #expect(answer.response.status == 400)
        #expect(answer.text.contains(#""code":"\#(code)""#) && answer.text.contains(#""param":"\#(parameter)""#))
        #expect(bench.work().isEmpty)
    }

    @Test func `six questions are too many, and so are long words`() throws {
        var bench = StripeBench()
        let reader = try bench.reader()
        let six = (0..<6).map { "inputs[\($0)][type]=text&inputs[\($0)][custom_text][title]=A" }
        let long = "inputs[0][type]=text&inputs[0][custom_text][title]=" + String(repeating: "x", count: 41)
        for form in [six.joined(separator: "&"), long] {
            #expect(try bench.post("/v1/terminal/readers/\(reader)/collect_inputs", form).response.status == 400)
        }
        #expect(bench.terminal.books.readers[reader]?.action == nil)
    }

    @Test func `a reader of this machine asks nothing`() throws {
        let own = StripeOwnReader(merchant: "123456789012345", terminal: "00000001", label: "Shop")
        var bench = StripeBench(setup: .own(own, access: .testKeys))
        let answer = try bench.post("/v1/terminal/readers/\(own.id)/collect_inputs", Self.form)
        #expect(answer.response.status == 400 && answer.text.contains("no keys"))
        #expect(try bench.send("POST", "/_simulator/inputs", "reader=\(own.id)").response.status == 404)
    }
}
