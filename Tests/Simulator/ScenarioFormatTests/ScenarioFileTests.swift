import Foundation
import Money
import ScenarioFormat
import Settings
import Simulator
import Testing

@Suite("Scenario files")
struct ScenarioFileTests {
    private static let short = """
        template_version: 1
        description: A Visa card pays
        steps:
          - connect
          - pay: 12.50
            expect: { outcome: approved }
        """

    private func scenarios(_ text: String, files: [String: String] = [:]) throws -> [Scenario] {
        try ScenarioFile.scenarios(text: text, path: "shop/test.yaml") { (path) throws(SettingsError) in
            guard let text = files[path] else {
                throw SettingsError(
                    location: SettingsLocation(file: path, line: 1, column: 1), keyPath: "",
                    problem: .unreadableFile(reason: "No such file"))
            }
            return try SettingsDocument(text: text, file: path)
        }
    }

    private func mistakes(_ text: String, files: [String: String] = [:]) -> [String] {
        do {
            _ = try scenarios(text, files: files)
            return []
        } catch {
            return String(describing: error).split(separator: "\n").map(String.init)
        }
    }

    @Test("a short one has an amount and an outcome, and defaults for the rest")
    func shortOne() throws {
        let scenario = try #require(try scenarios(Self.short).first)
        #expect(scenario.name == "test")
        #expect(scenario.summary == "A Visa card pays")
        #expect(scenario.card.name == "visa-credit")
        #expect(scenario.readers.map(\.name) == ["reader"])
        #expect(scenario.steps.map(\.action.word) == ["connect", "pay"])
        #expect(scenario.steps[1].expectations.map(\.key) == ["outcome"])
        #expect(scenario.steps[1].expectations.first?.location.line == 6)
        guard case .pay(let pay) = scenario.steps[1].action, case .amount(let amount) = pay.bill else {
            Issue.record("the second step is no payment")
            return
        }
        #expect(amount.description == "12.50 USD")
    }

    @Test("all errors of a file are reported at once, with line, column, key, and suggestion")
    func allMistakes() {
        let text = """
            template_version: 1
            description: Wrong everywhere
            tags: smoke
            cardholdr: { insertAfter: 2s }
            reader: tpud
            cardholder: { insertAfter: soon }
            steps:
              - conect
              - pay: 12.505
              - pay: { amount: -1, tip: 2 }
                expect: { outcom: approved, state: captred }
            expect:
              tvr: { set: ddaFaild }
            """
        #expect(
            mistakes(text) == [
                "shop/test.yaml:3:7: tags: expected a list, found text",
                "shop/test.yaml:4:1: unknown key 'cardholdr'; did you mean 'cardholder'?",
                "shop/test.yaml:6:28: cardholder.insertAfter: not a time; write a whole number and its unit, such as "
                    + "500ms, 2s, 10min or 1h; a day is the most",
                "shop/test.yaml:8:5: steps[0]: unknown value 'conect'; did you mean 'connect'?",
                "shop/test.yaml:10:20: steps[2].pay.amount: not an amount; write digits with at most one decimal point, "
                    + "such as 12.50",
                "shop/test.yaml:10:24: steps[2].pay: unknown key 'tip'; use one of amount, currency, order, card, "
                    + "cardholder, presents, timeout, forceOnline, authorizeOnly, allowPartial",
                "shop/test.yaml:11:15: steps[2].expect: unknown key 'outcom'; did you mean 'outcome'?",
                "shop/test.yaml:11:40: steps[2].expect.state: unknown value 'captred'; did you mean 'captured'?",
                "shop/test.yaml:13:15: expect.tvr.set: unknown value 'ddaFaild'; did you mean 'ddaFailed'?",
            ])
    }

    @Test("all semantic errors are reported too")
    func meaning() {
        let text = """
            template_version: 1
            description: Well formed and wrong
            reader: tpud
            cards: { gold: visa-gold }
            issuer: [{ answer: { responseCode: "5" } }]
            site: { faults: [POST lost-anser] }
            steps:
              - pay: 12.505
              - pay: { amount: 500.5, currency: JPY }
              - { do: connect, wait: 2s }
              - expect: { outcome: approved }
              - connect: till
              - { pay: 1.00, during: [{ do: cancel }, { after: 1s, pay: 2.00 }] }
            """
        #expect(
            mistakes(text).map { $0.split(separator: ":").prefix(3).joined(separator: ":") } == [
                "shop/test.yaml:3:9", "shop/test.yaml:4:16", "shop/test.yaml:5:36", "shop/test.yaml:6:18",
                "shop/test.yaml:8:10", "shop/test.yaml:9:20", "shop/test.yaml:10:5", "shop/test.yaml:11:5",
                "shop/test.yaml:12:14", "shop/test.yaml:13:27", "shop/test.yaml:13:43",
            ])
    }

    @Test("a PIN is never quoted")
    func pins() {
        let told = mistakes(Self.short + "\ncardholder: { pins: [\"98765432109876\", \"12a4\"] }\n").joined()
        #expect(told.contains("cardholder.pins"))
        #expect(!told.contains("98765432109876") && !told.contains("12a4"))
    }

    @Test("an unknown version is rejected")
    func version() {
        let told = mistakes(Self.short.replacing("template_version: 1", with: "template_version: 2"))
        #expect(told == ["shop/test.yaml:1:19: template_version: unknown value '2'; did you mean '1'?"])
    }

    // MARK: Variables and matrices

    @Test("a matrix creates a case for every combination, named by its values")
    func matrix() throws {
        let made = try scenarios(
            """
            template_version: 1
            description: ${card} pays ${amount}
            card: ${card}
            matrix:
              card: [visa-credit, amex]
              amount: { small: 1.00, large: 99.00 }
            steps: [connect, { pay: "${amount}" }]
            """)
        #expect(
            made.map(\.name) == [
                "test[card=visa-credit,amount=small]", "test[card=visa-credit,amount=large]",
                "test[card=amex,amount=small]", "test[card=amex,amount=large]",
            ])
        #expect(made.map(\.summary).last == "amex pays 99.00")
        #expect(made.map(\.card.profile.name) == ["visa-credit", "visa-credit", "amex", "amex"])
    }

    @Test("cases are sets of variables, multiplied by a matrix")
    func cases() throws {
        let made = try scenarios(
            """
            template_version: 1
            description: Rows
            variables: { amount: 1.00, what: nothing }
            cases:
              first: { amount: 2.00 }
              second: { what: "${amount} in all" }
            matrix: { tag: [a, b] }
            tags: ["${tag}", "${what}"]
            steps: [{ pay: "${amount}" }]
            """)
        #expect(
            made.map(\.name) == ["test[first,tag=a]", "test[first,tag=b]", "test[second,tag=a]", "test[second,tag=b]"])
        #expect(made.map(\.tags).last == ["b", "1.00 in all"])
    }

    @Test("a value that consists of a variable gets its whole value, also a mapping")
    func wholeValues() throws {
        let made = try scenarios(
            """
            template_version: 1
            description: Faults
            matrix:
              fault:
                cancel: { after: 2s, do: cancel }
                unplug: { on: card_inserted, do: unplug }
            steps: [{ pay: 1.00, during: ["${fault}"] }]
            """)
        #expect(made.map { $0.steps[0].interruptions.map(\.action.word) } == [["cancel"], ["unplug"]])
    }

    @Test(
        "wrong variables are reported with their location",
        arguments: [
            ("variables: { a: 1 }\ntags: [\"${b}\"]", "there is no variable 'b'"),
            ("variables: { amount: 1 }\ntags: [\"${amout}\"]", "did you mean 'amount'?"),
            ("variables: { a: \"${b}\", b: \"${a}\" }\ntags: [\"${a}\"]", "refer to each other in a cycle"),
            ("variables: { a: [x] }\ntags: [\"one ${a}\"]", "only a text can be inserted into text"),
            ("tags: [\"${a\"]", "is not closed"),
            ("variables: { 1a: x }", "not the name of a variable"),
            ("matrix: { a: [] }", "entries"),
            ("matrix: { a: {} }", "give at least one value"),
            ("cases: {}", "give at least one case"),
        ])
    func wrongVariables(_ lines: String, _ told: String) {
        #expect(mistakes(Self.short + "\n" + lines + "\n").joined().contains(told))
    }

    @Test("a matrix that is too large is rejected before it is expanded")
    func largeMatrix() {
        let axis = "[" + (1...60).map(String.init).joined(separator: ", ") + "]"
        let told = mistakes(Self.short + "\nmatrix: { a: \(axis), b: \(axis), c: \(axis) }\n")
        #expect(told.joined().contains("the matrix makes 216000 cases"))
    }

    // MARK: Includes

    @Test("an included file provides the keys that the file itself lacks")
    func include() throws {
        let made = try scenarios(
            Self.short + "\ninclude: [../shared/till.yaml]\ncardholder: { insertAfter: 3s }\n",
            files: [
                "shared/till.yaml": """
                reader: short-apdu
                card: amex
                cardholder: { insertAfter: 1s, removeAfter: 5s }
                """
            ])
        let scenario = try #require(made.first)
        #expect(scenario.readers.first?.model.name == "short-apdu")
        #expect(scenario.card.name == "amex")
        #expect(scenario.card.profile.cardholder.insertsAfter == .seconds(3))
        #expect(scenario.card.profile.cardholder.removesAfter == .seconds(5))
    }

    @Test("circular includes are reported with their path")
    func cycle() {
        let told = mistakes(
            Self.short + "\ninclude: a.yaml\n",
            files: ["shop/a.yaml": "include: b.yaml", "shop/b.yaml": "include: test.yaml"])
        #expect(
            told == [
                "shop/b.yaml:1:10: include: the files include each other: shop/test.yaml → shop/a.yaml → shop/b.yaml → "
                    + "shop/test.yaml"
            ])
    }

    @Test("the depth of includes is limited")
    func deepIncludes() {
        let files = Dictionary(uniqueKeysWithValues: (0..<20).map { ("shop/\($0).yaml", "include: \($0 + 1).yaml") })
        #expect(mistakes(Self.short + "\ninclude: 0.yaml\n", files: files).joined().contains("8 levels deep"))
    }

    @Test("a missing file is reported at its reference")
    func missingInclude() {
        #expect(
            mistakes(Self.short + "\ninclude: gone.yaml\n") == [
                "shop/test.yaml:7:10: include: cannot read 'shop/gone.yaml': No such file"
            ])
    }

    @Test("errors of an included file are reported with its name")
    func mistakeInInclude() {
        let told = mistakes(Self.short + "\ninclude: a.yaml\n", files: ["shop/a.yaml": "\ndisk: ful\n"])
        #expect(told == ["shop/a.yaml:2:7: disk: unknown value 'ful'; did you mean 'full'?"])
    }

    @Test("a text that stands alone names no files, wherever it could")
    func alone() throws {
        #expect(try ScenarioFile.scenarios(alone: Self.short, name: "sent.yaml").map(\.name) == ["sent"])
        let text =
            Self.short + """

                cards: { mine: /etc/card.yaml, other: { profile: card.yml } }
                configuration: { capks: [keys.yaml] }
                golden: [events]
                """
        let error = #expect(throws: ScenarioFileError.self) {
            try ScenarioFile.scenarios(alone: text, name: "sent.yaml")
        }
        #expect(
            error?.errors.map(\.keyPath) == ["cards.mine", "cards.other.profile", "configuration.capks[0]", "golden"])
        #expect(error?.errors.allSatisfy { $0.message == "a scenario that stands alone reads no files" } == true)
    }

    // MARK: Cards

    @Test("an override changes only its keys of a profile")
    func overrides() throws {
        let made = try scenarios(
            Self.short + "\ncard: { profile: visa-credit, override: { applications: { label: MINE } } }\n")
        let card = try #require(made.first).card
        #expect(card.profile.applications.map(\.label) == ["MINE"])
        #expect(card.profile.name == "visa-credit")
    }

    @Test("the exception file has cards of the scenario and profiles, and survives a round trip")
    func exceptions() throws {
        let text =
            Self.short + "\ncards: { mine: { profile: amex, override: { applications: { label: MINE } } } }\n"
            + "card: { profile: visa-credit, override: { applications: { label: OWN } } }\n"
            + "exceptions: [card, mine, mastercard-credit]\n"
        let scenario = try #require(try scenarios(text).first)
        #expect(scenario.exceptions.map(\.name) == ["card", "mine", "mastercard-credit"])
        #expect(scenario.exceptions.prefix(2).map { $0.profile.applications.map(\.label) } == [["OWN"], ["MINE"]])
        let again = try #require(try scenarios(try scenario.yaml()).first)
        #expect(again.exceptions.map(\.name) == scenario.exceptions.map(\.name))
        #expect(try again.yaml() == scenario.yaml())
        #expect(try scenarios(Self.short + "\nexceptions: amex\n").first?.exceptions.map(\.name) == ["amex"])
    }

    @Test("an unknown card on the exception file is reported with its location")
    func wrongException() {
        let told = mistakes(Self.short + "\nexceptions: [visa-credit, visa-credti]\n")
        #expect(told.count == 1)
        #expect(told.first?.hasPrefix("shop/test.yaml:7:27: ") == true)
    }

    @Test("an invalid override is reported with its location")
    func wrongOverride() {
        let told = mistakes(
            Self.short + "\ncard: { profile: visa-credit, override: { applications: { expiry: never } } }\n")
        #expect(told.count == 1)
        #expect(told.first?.hasPrefix("shop/test.yaml:7:") == true)
    }

    @Test("any text is parsed or rejected, and never traps")
    func total() {
        let pieces = [
            "{", "}", "[", "]", ":", "- ", "${a}", "pay", "12.50", "\n", "  ", "steps", "matrix", "'", "&a ", "*a",
        ]
        var state: UInt64 = 7
        for _ in 0..<2000 {
            var text = Self.short + "\n"
            for _ in 0..<12 {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                text += pieces[Int(state >> 33) % pieces.count]
            }
            _ = mistakes(text)
        }
    }
}

@Suite("The JSON Schema of scenario files")
struct ScenarioSchemaTests {
    @Test("the committed file is generated from the table of keys")
    func shipped() throws {
        let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Simulator/Scenarios/Format/scenario.schema.json")
        let shipped = try String(contentsOf: path, encoding: .utf8)
        #expect(
            shipped == ScenarioSchema.text,
            "write it again: cardpresent simulate schema > Simulator/Scenarios/Format/scenario.schema.json")
    }

    @Test("it has every key, and rejects others")
    func keys() throws {
        let schema = try #require(
            try JSONSerialization.jsonObject(with: Data(ScenarioSchema.text.utf8)) as? [String: Any])
        let definitions = try #require(schema["$defs"] as? [String: [String: Any]])
        let scenario = try #require(definitions["scenario"])
        let properties = try #require(scenario["properties"] as? [String: Any])
        #expect(Set(properties.keys) == Set(ScenarioKeys.file.keys.map(\.name)))
        #expect(scenario["additionalProperties"] as? Bool == false)
        #expect(scenario["required"] as? [String] == ["template_version", "description"])
        let expect = try #require(definitions["expect"]?["properties"] as? [String: Any])
        #expect(Set(expect.keys) == Set(ExpectationKeys.record.keys.map(\.name)))
    }
}

@Suite("Patterns of expected texts")
struct TextPatternTests {
    @Test(
        "a star matches any text, also none",
        arguments: [
            ("", ""), ("*", ""), ("*", "abc"), ("a*c", "ac"), ("a*c", "abbc"), ("*APPROVED*", "  APPROVED  "),
            ("**a", "ba"), ("a*b*c", "a1b2b3c"),
        ])
    func fits(_ pattern: String, _ text: String) { #expect(TextPattern(pattern).matches(text)) }

    @Test(
        "other characters match themselves, and the whole text must match",
        arguments: [("", "a"), ("a", ""), ("a", "ab"), ("a*c", "ab"), ("A", "a"), ("a*b*c", "acb"), ("?", "a")])
    func doesNotFit(_ pattern: String, _ text: String) { #expect(!TextPattern(pattern).matches(text)) }

    @Test("an event matches by whole words at its beginning")
    func beginning() {
        #expect(TextPattern("journal authorizing").fitsBeginning(of: "journal authorizing P000001 sale"))
        #expect(!TextPattern("journal auth").fitsBeginning(of: "journal authorizing P000001 sale"))
        #expect(TextPattern("journal auth*").fitsBeginning(of: "journal authorizing P000001 sale"))
    }

    @Test("a pattern of many stars is fast")
    func manyStars() {
        let pattern = TextPattern(String(repeating: "*a", count: 60) + "b")
        #expect(!pattern.matches(String(repeating: "a", count: 2000)))
    }
}
