import HTTPInterface
import TestOpenAPI
import Testing
import Text

@testable import SimulationServer

@Suite("A scenario file that is opened", .timeLimit(.minutes(10)))
struct ScenarioTests {
    private static let approved = """
        template_version: 1
        description: A card pays
        card: visa-credit
        steps:
          - connect
          - pay: 12.50
            expect: { outcome: approved }

        """

    /// A file with two scenarios, of which the first one fails.
    private static let cases = """
        template_version: 1
        description: A card pays
        card: visa-credit
        matrix: { wanted: [declined, approved] }
        steps:
          - connect
          - pay: 12.50
            expect: { outcome: "${wanted}" }

        """

    private func play(
        _ asked: Asked, _ text: String, _ more: [String: JSON] = [:]
    ) async -> Asked.Reply {
        let body: [String: JSON] = ["text": .text(text), "file": "pay.yaml"]
        return await asked.ask("POST", "/v1/scenarios/play", JSON.members(body.merging(more) { $1 }).jsonText)
    }

    private func message(_ reply: Asked.Reply) -> String? { reply.json["error"]?["message"]?.text }

    // MARK: Playing

    @Test func `is played to its end, with its events and decoded exchanges, and leaves no session`() async throws {
        let asked = Asked()
        let reply = await play(asked, Self.approved)
        #expect(reply.status == 200, "\(reply.text.prefix(500))")
        let played = reply.json
        #expect(played["name"] == "pay")
        #expect(played["scenarios"] == ["pay"])
        #expect(played["description"] == "A card pays")
        #expect(played["status"] == "passed")
        #expect(played["reason"] == nil)
        #expect(played["seed"]?.int == 1)
        #expect(played["mismatches"]?.elements.isEmpty == true)
        let events = played["events"]?.elements ?? []
        #expect(events.compactMap { $0["id"]?.int } == Array(1...events.count))
        let end = events.last { $0["kind"] == "step_ended" }
        #expect(end?["detail"] == "pay 12.50 USD: P000001 approved")
        let exchanges = events.filter { $0["kind"] == "apdu" }.compactMap { $0["id"]?.int }
        let decodings = played["decodings"]?.elements ?? []
        #expect(decodings.compactMap { $0["event"]?.int } == exchanges)
        #expect(decodings.allSatisfy { $0["exchange"]?["values"]?.elements.isEmpty == false })
        #expect(asked.service.sessionCount == 0)
    }

    @Test func `gives the same events as often as it is played, and others with another seed`() async {
        let asked = Asked()
        let first = await play(asked, Self.approved)
        #expect(await play(asked, Self.approved).bytes == first.bytes)
        let other = await play(asked, Self.approved, ["seed": 7])
        #expect(other.json["seed"]?.int == 7)
        #expect(other.json["events"] != first.json["events"])
        // Its own seed goes first.
        #expect(await play(asked, Self.approved + "seed: 3\n", ["seed": 7]).json["seed"]?.int == 3)
    }

    @Test func `is shown also when an expectation fails`() async {
        let played = await play(Asked(), Self.cases).json
        #expect(played["status"] == "failed")
        #expect(played["reason"] == "step 2, pay 12.50 USD: outcome: expected 'declined', seen 'approved'")
        let mismatch = played["mismatches"]?[0]
        #expect(mismatch?["step"]?.int == 2)
        #expect(mismatch?["action"] == "pay 12.50 USD")
        #expect(mismatch?["key"] == "outcome")
        #expect(mismatch?["line"]?.int == 8)
        #expect(mismatch?["sentence"] == played["reason"])
        #expect(mismatch?["difference"] == ["- declined", "+ approved"])
        #expect((played["events"]?.elements.count ?? 0) > 50)
    }

    @Test func `with several scenarios has the names of all, and plays the chosen one`() async {
        let asked = Asked()
        let first = await play(asked, Self.cases).json
        #expect(first["scenarios"] == ["pay[wanted=declined]", "pay[wanted=approved]"])
        #expect(first["name"] == "pay[wanted=declined]")
        let second = await play(asked, Self.cases, ["scenario": "pay[wanted=approved]"]).json
        #expect(second["name"] == "pay[wanted=approved]")
        #expect(second["status"] == "passed")
        let unknown = await play(asked, Self.cases, ["scenario": "pay[wanted=aproved]"])
        #expect(unknown.status == 422)
        #expect(unknown.path == "scenario")
        #expect(unknown.fix == "did you mean 'pay[wanted=approved]'?")
    }

    @Test func `can be a finding`() async {
        // As `simulate explore` writes it.
        let finding = """
            template_version: 1
            description: It broke booksAgree
            seed: 1188
            reader: short-apdu
            steps:
              - do: connect
              - pay: {amount: 12.50, card: visa-credit}
                during:
                  - {on: host authorize sent, do: crash}
                expect: {outcome: crashed}
              - do: mend
              - do: restart

            """
        let played = await play(Asked(), finding, ["file": "booksAgree-1-418.yaml"]).json
        #expect(played["name"] == "booksAgree-1-418")
        #expect(played["status"] == "passed", "\(played["reason"]?.text ?? "")")
        #expect(played["seed"]?.int == 1188)
        #expect(played["events"]?.elements.contains { $0["kind"] == "crash" } == true)
    }

    // MARK: Errors

    @Test func `with mistakes names the line and the key of each`() async {
        let text = Self.approved.replacing("outcome", with: "outcom").replacing("visa-credit", with: "visa-credt")
        let reply = await play(Asked(), text)
        #expect(reply.status == 422)
        #expect(reply.code == "invalid_scenario")
        #expect(reply.path == "text")
        let lines = message(reply)?.split(separator: "\n") ?? []
        #expect(lines.contains { $0.hasPrefix("pay.yaml:7:15: steps[1].expect: unknown key 'outcom'") }, "\(lines)")
        let broken = await play(Asked(), "template_version: 1\n\tsteps: []\n")
        #expect(message(broken)?.hasPrefix("pay.yaml:2:") == true, "\(message(broken) ?? "")")
        let empty = await play(Asked(), "# nothing\n")
        #expect(empty.code == "invalid_scenario")
    }

    @Test func `with very many mistakes names the first ones, and their number`() async {
        let text = (0..<40).map { "wrong\($0): 1\n" }.joined()
        let lines = message(await play(Asked(), text))?.split(separator: "\n") ?? []
        #expect(lines.count == 11)
        #expect(lines.last?.hasSuffix(" more") == true)
    }

    @Test(
        "names no files, and reads none",
        arguments: [
            ("include: shared/till.yaml", 8, "include"), ("configuration: /etc/hostname", 8, "configuration"),
            ("issuer: ./rules.yaml", 8, "issuer"), ("cards: { mine: /etc/passwd.yaml }", 8, "cards.mine"),
            ("cards: { mine: { profile: mine.yml } }", 8, "cards.mine.profile"), ("golden: [events]", 8, "golden"),
            ("exceptions: [../card.yaml]", 8, "exceptions[0]"),
            ("configuration: { capks: [keys.yaml] }", 8, "configuration.capks[0]"),
            ("configuration: { revocations: [/etc/hostname] }", 8, "configuration.revocations[0]"),
            ("configuration: { receipt: { logo: /dev/zero } }", 8, "configuration.receipt.logo"),
            ("configuration: { store: { authorities: ca.pem } }", 8, "configuration.store.authorities"),
            (
                "configuration: { readers: { firmware: [{ reader: \"1234:5678\", version: 2.0, file: a.dfu }] } }", 8,
                "configuration.readers.firmware[0].file"
            ),
            ("  - pay: { amount: 1, card: ./card.yaml }", 8, "steps[2].pay.card"),
            ("  - set: { issuer: rules.yaml }", 8, "steps[2].set.issuer"),
        ])
    func files(_ line: String, _ number: Int, _ key: String) async {
        let reply = await play(Asked(), Self.approved + line + "\n")
        #expect(reply.status == 422)
        #expect(reply.code == "invalid_scenario")
        let message = message(reply) ?? ""
        #expect(message.hasPrefix("pay.yaml:\(number):"), "\(message)")
        #expect(message.contains(": \(key): "), "\(message)")
        #expect(message.contains("reads no files"), "\(message)")
    }

    @Test func `has no queries`() async {
        let reply = await play(
            Asked(), Self.approved + "expect: { rows: [{ query: SELECT 1, are: [\"1\"] }] }\n")
        #expect(reply.code == "invalid_scenario")
        #expect(message(reply)?.hasPrefix("pay.yaml:8:17: expect.rows: ") == true, "\(message(reply) ?? "")")
    }

    @Test func `has a limit`() async {
        let asked = Asked()
        let comment = "#" + String(repeating: "x", count: ScenarioBody.longestText - Self.approved.count - 2) + "\n"
        #expect(await play(asked, Self.approved + comment).status == 200)
        let reply = await play(asked, Self.approved + comment + "#")
        #expect(reply.status == 422)
        #expect(reply.path == "text")
        #expect(await play(asked, "").path == "text")
        #expect(await play(asked, Self.approved, ["file": ""]).path == "file")
    }

    @Test func `counts as a session while it is played`() async throws {
        let asked = Asked(SimulationServiceConfiguration(sessionsLimit: 1))
        #expect(await play(asked, Self.approved).status == 200)
        // Each gives its place back, also after an error.
        #expect(await play(asked, "wrong: 1\n").status == 422)
        #expect(await play(asked, Self.approved).status == 200)
        _ = try await asked.session()
        #expect(await play(asked, Self.approved).code == "too_many_sessions")
    }

    @Test func `needs the token`() async {
        let asked = Asked(token: "a-token-of-some-length")
        let body = JSON.members(["text": .text(Self.approved)]).jsonText
        let without = await asked.ask("POST", "/v1/scenarios/play", body, headers: ["authorization": ""])
        #expect(without.status == 401)
        #expect(await asked.ask("POST", "/v1/scenarios/play", body).json["name"] == "scenario")
    }

    @Test func `has no card number in the response, also where the file has one`() async {
        let number = "4761739001010010"
        let text = Self.approved.replacing("A card pays", with: "The card \(number) pays")
            .replacing("card: visa-credit", with: "card: { profile: visa-credit, override: { name: n\(number) } }")
            .replacing("outcome: approved", with: "error: \"\(number)\"")
        for text in [text, text.replacing("error:", with: "\(number):")] {
            let reply = await play(Asked(), text, ["file": .text("\(number).yaml")])
            #expect(!reply.text.contains(number), "\(reply.text.prefix(500))")
        }
    }
}
