import Money
import ScenarioFormat
import Simulator
import Testing

@Suite("The second till of a scenario")
struct SecondTillTests {
    private func text(_ setup: String, _ change: String = "{ neighborPays: { order: 1 } }") -> String {
        """
        template_version: 1
        description: Two tills
        \(setup)
        steps:
          - connect
          - pay: 12.50
            during: [{ on: waiting, set: \(change) }]
        """
    }

    private func mistakes(_ text: String) -> String {
        do {
            _ = try ScenarioFile.scenarios(text: text, path: "test.yaml")
            return ""
        } catch {
            return "\(error)"
        }
    }

    @Test func `a second till has a card, a reader, and the database of the first one, or its own`() throws {
        let short = try #require(
            try ScenarioFile.scenarios(
                text: text("secondTill: { card: mastercard-credit }", "{ neighborPays: 8.00 }"), path: "test.yaml"
            ).first)
        let till = try #require(short.secondTill)
        #expect(!till.ownsDatabase)
        #expect(till.card.name == "mastercard-credit")
        #expect(till.reader.name == SecondTillSetup.readerName)
        guard case .set(let change) = short.steps[1].interruptions.first?.action,
            case .amount(let amount) = change.neighborPays
        else {
            Issue.record("nobody pays at the second till")
            return
        }
        #expect(amount.description == "8.00 USD")
    }

    @Test(arguments: [
        "secondTill: { card: mastercard-credit }",
        "secondTill: { database: own, reader: short-apdu, card: mastercard-credit }",
        "secondTill: { database: own, reader: { model: battery, battery: 60 }, card: visa-debit }",
    ])
    func `a scenario with a second till is written as it is read`(setup: String) throws {
        let scenario = try #require(try ScenarioFile.scenarios(text: text(setup), path: "test.yaml").first)
        let written = try scenario.yaml()
        let again = try #require(try ScenarioFile.scenarios(text: written, path: "test.yaml").first)
        #expect(try again.yaml() == written)
        #expect(again.secondTill?.ownsDatabase == scenario.secondTill?.ownsDatabase)
        #expect(again.secondTill?.reader.model.name == scenario.secondTill?.reader.model.name)
    }

    @Test func `a second till can't have the first one's card, another word, or a wire with two databases`() {
        let shared = "card: visa-debit\nsecondTill: { card: visa-debit }"
        #expect(mistakes(text(shared)).contains("is the card at the first till"))
        #expect(mistakes(text("secondTill: { database: mine, card: visa-debit }")).contains("mine"))
        #expect(mistakes(text("secondTill: { database: own }")).contains("card"))
        let wired = "host: { wire: iso8583, profile: iso87-ascii }\nsecondTill: { database: own, card: visa-debit }"
        #expect(mistakes(text(wired)).contains("one terminal on the wire"))
        #expect(mistakes(text("tags: [none]")).contains("'neighborPays' needs 'secondTill'"))
    }
}
