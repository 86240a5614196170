import ScenarioFormat
import ScenarioRunner
import Testing

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
