import ScenarioFormat
import ScenarioRunner
import Testing
import Text

@Suite("Scenarios of tills that speak a protocol")
struct TillScenarioTests {
    /// A sale; `more` are the keys of the request that presents the card, and `end` the last request.
    private func sale(_ more: String = "", end: String = "get: /v1/account") -> String {
        """
        template_version: 1
        description: A till sells
        till:
          protocol: stripe
          requests:
            - { post: /v1/terminal/readers, form: { registration_code: simulated-wpe }, keep: { reader: id } }
            - { post: /v1/payment_intents, form: { amount: 1250, currency: usd }, keep: { intent: id } }
            - { post: /v1/terminal/readers/<reader>/process_payment_intent, form: { payment_intent: <intent> } }
            - { post: /v1/test_helpers/terminal/readers/<reader>/present_payment_method\(more) }
            - { \(end) }

        """
    }

    @Test func `a till that gets what it expects passes`() async throws {
        let text = sale(", expect: { outcome: approved, charged: 12.50 }", end: "get: /v1/payment_intents/<intent>")
        let result = try #require(try await results(text).first)
        #expect(result.status == .passed, "\(result.mismatches)")
    }

    @Test(
        arguments: [
            (", answer: { status: 201 }", "status"), (", answer: { fields: { action.status: failed } }", "fields"),
            (", answer: { fields: { no.such.0.place: x } }", "fields"), (", answer: { lost: true }", "answer"),
            (", answer: { replayed: true }", "replayed"), (", keep: { x: no.such }", "keep"),
            (", expect: { outcome: declined }", "outcome"),
        ])
    func `what the till does not expect is reported with its key, at its request`(
        _ more: String, _ key: String
    ) async throws {
        let result = try #require(try await results(sale(more)).first)
        #expect(result.mismatches.map(\.key) == [key])
        #expect(result.mismatches.first?.step == 4 && result.mismatches.first?.line == 9)
    }

    @Test func `an error that no answer is expected for is a failure, and so is a name that was not kept`() async throws
    {
        let unexpected = try #require(try await results(sale(end: "get: /v1/nothing")).first)
        #expect(unexpected.mismatches.map(\.key) == ["status"])
        let unknown = try #require(try await results(sale(end: "get: /v1/<other>")).first)
        #expect(unknown.mismatches.first?.seen.first?.contains("no request before has kept 'other'") == true)
    }

    @Test func `the same seed gives the same events and IDs, and another one others`() async throws {
        // The ID is not the one expected, so that the mismatch shows it.
        let text = sale(end: "get: /v1/payment_intents/<intent>, answer: { fields: { id: none } }")
        var runs: [[ScenarioResult]] = []
        for seed: UInt64 in [3, 3, 4] {
            let runner = ScenarioRunner(keepsEvents: true)
            runs.append(try await results(text, runner: runner, selection: ScenarioSelection(seed: seed)))
        }
        #expect(runs[0] == runs[1])
        #expect(runs[0].first?.mismatches.first?.seen != runs[2].first?.mismatches.first?.seen)
    }

    @Test(
        arguments: [
            ("protocol: morse", "unknown value 'morse'"), ("requests: [{ form: { a: 1 } }]", "belongs to a request"),
            ("requests: [{ get: v1 }]", "a path begins with '/'"),
            ("requests: [{ get: /a, post: /b }]", "several actions"),
            ("requests: [{ get: /a, wait: 1s }]", "several actions"),
            ("requests: [{ get: /a, answer: { lost: true, status: 200 } }]", "a lost answer has neither"),
        ])
    func `a mistake in a file is named`(_ line: String, _ words: String) {
        let keys = ["protocol: stripe", "requests: [{ get: /v1/account }]"].map { key in
            line.hasPrefix(key.prefix { $0 != ":" }) ? line : key
        }
        let text = "template_version: 1\ndescription: d\ntill:\n  \(keys[0])\n  \(keys[1])\n"
        #expect(mistakes(text).contains(words))
    }

    private func scenario(_ tillProtocol: String, _ requests: String...) -> String {
        "template_version: 1\ndescription: d\nconfiguration: { currency: EUR }\ntill:\n  protocol: \(tillProtocol)\n"
            + "  requests:\n" + requests.map { "    - \($0)\n" }.joined()
    }

    private static let sale = #"{ command: authorization, bmps: { "04": "000000001250" }"#

    @Test(
        arguments: [
            (", answer: { messages: [positive_answer, completion] } }", "messages"),
            (", answer: { fields: { status_information.27: 05* } } }", "fields"),
            (", answer: { lost: true } }", "answer"), (", keep: { x: status_information.88 } }", "keep"),
            (", expect: { outcome: declined } }", "outcome"),
        ])
    func `what a ZVT till does not expect is reported with its key`(_ more: String, _ key: String) async throws {
        let result = try #require(try await results(scenario("zvt", Self.sale + more)).first)
        #expect(result.mismatches.map(\.key) == [key], "\(result.mismatches)")
    }

    @Test func `a refusal of a ZVT terminal is a failure unless it is expected`() async throws {
        let command = #"{ command: reversal, data: "000000", bmps: { "87": "0007" }"#
        let failed = try #require(try await results(scenario("zvt", command + " }")).first)
        #expect(failed.mismatches.map(\.key) == ["answer"])
        #expect(failed.mismatches.first?.seen == ["abort B5"])
        let expected = command + ", answer: { fields: { abort.result_code: B5* } } }"
        let passed = try #require(try await results(scenario("zvt", expected)).first)
        #expect(passed.status == .passed, "\(passed.mismatches)")
    }

    @Test(
        arguments: [
            ("zvt", "{ post: /v1/refunds }", "'post' is no part of a request of zvt"),
            ("zvt", #"{ command: authorization, bmps: { "4": "00" } }"#, "'4' is no field"),
            ("zvt", #"{ command: authorization, bmps: { "04": 1x } }"#, "no hexadecimal digits"),
            ("zvt", #"{ hex: "06 0" }"#, "no hexadecimal digits"), ("zvt", "{ command: pay }", "unknown value 'pay'"),
            ("zvt", "{ listen: 1s, data: \"00\" }", "only a command has 'data'"),
            ("zvt", "{ command: abort, answer: { status: 200 } }", "an answer of zvt has no 'status'"),
            ("nexo", "{ send: Payment, json: {} }", "the key 'service' is missing"),
            ("nexo", "{ post: /sync, form: { a: 1 } }", "'form' is no part of a request of nexo"),
            ("nexo", "{ json: {} }", "belongs to a request"),
        ])
    func `a request of another protocol is named`(_ tillProtocol: String, _ request: String, _ words: String) {
        let found = mistakes(scenario(tillProtocol, request))
        #expect(found.contains(words), "\(found)")
    }

    @Test func `values of nexo keep their kinds, and are written and read as they were`() throws {
        let json = #"{ a: 12.50, b: "12.50", c: true, d: "true", e: [1, { f: null }], g: word }"#
        let text = scenario("nexo", "{ send: Payment, service: \"1\", json: \(json) }")
        let scenario = try #require(try ScenarioFile.scenarios(text: text, path: "till.yaml").first)
        let again = try #require(try ScenarioFile.scenarios(text: try scenario.yaml(), path: "till.yaml").first)
        for scenario in [scenario, again] {
            guard case .ask(let asked)? = scenario.steps.first?.action, case .nexo(let message) = asked.message else {
                Issue.record("the step is no message")
                continue
            }
            let expected = #"{"a":12.50,"b":"12.50","c":true,"d":"true","e":[1,{"f":null}],"g":"word"}"#
            #expect(message.content.jsonText == expected)
        }
    }

    @Test func `a written ZVT command is read as the same one`() throws {
        let text = scenario(
            "zvt", Self.sale + ", cut: status_information, answer: { messages: [\"*\"], lost: true } }",
            "{ hex: 06 01 00 }", "{ listen: 3min }", "{ command: registration, data: 000000 08 }")
        let scenario = try #require(try ScenarioFile.scenarios(text: text, path: "till.yaml").first)
        let again = try #require(try ScenarioFile.scenarios(text: try scenario.yaml(), path: "till.yaml").first)
        #expect(again.steps.count == 4)
        for (one, other) in zip(scenario.steps, again.steps) {
            guard case .ask(let first) = one.action, case .ask(let second) = other.action else { continue }
            #expect(first == second)
        }
    }

    @Test func `a file has steps or a till`() {
        #expect(mistakes(sale() + "steps: [connect]\n").contains("'till' is also given"))
        #expect(mistakes("template_version: 1\ndescription: d\n").contains("the key 'steps' is missing"))
    }

    @Test func `a written file is read as the same requests`() throws {
        let more = ", form: { \"card_present[number]\": \"5555555555554444\" }, key: k, answer: { replayed: false }"
        let end = "post: /v1/refunds, answer: { status: 400, fields: { error.type: \"*\" } }, expect: { charges: 0 }"
        let scenario = try #require(try ScenarioFile.scenarios(text: sale(more, end: end), path: "till.yaml").first)
        let again = try #require(try ScenarioFile.scenarios(text: try scenario.yaml(), path: "till.yaml").first)
        #expect(again.tillProtocol == .stripe && again.steps.count == 5)
        for (one, other) in zip(scenario.steps, again.steps) {
            guard case .ask(let first) = one.action, case .ask(let second) = other.action else {
                Issue.record("the step is not a request")
                continue
            }
            #expect(first == second && one.expectations.map(\.key) == other.expectations.map(\.key))
        }
    }

    private func mistakes(_ text: String) -> String {
        do throws(ScenarioFileError) {
            _ = try ScenarioFile.scenarios(text: text, path: "till.yaml")
            return ""
        } catch {
            return "\(error)"
        }
    }
}
