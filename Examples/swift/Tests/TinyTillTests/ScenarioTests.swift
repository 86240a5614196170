import ScenarioFormat
import SimulatorTesting
import Testing

@Suite("The shipped till, in scenarios")
struct ScenarioTests {
    @Test("a card that is pulled out while it makes its cryptogram costs nobody anything")
    func cardPulled() async throws {
        let scenario = try Scenario(
            "The card is pulled out while it makes its cryptogram",
            steps: [
                .connect(),
                .pay("12.50")
                    .during(.removeCard(.on("kernel terminal_action_analysis")))
                    .expect(.outcome("failed"))
                    .expect(.noEvents(["host authorize"])),
            ]
        ).expect(.charges(0))
        await scenario.check()
    }

    @Test("what the scenario files say is so", arguments: try Self.files())
    func files(scenario: Scenario) async {
        await scenario.check()
    }

    private static func files() throws -> [Scenario] {
        let folder = #filePath.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" }
        try ScenarioFile.scenarios(path: "\(folder)/Scenarios/declined.yaml")
    }
}
