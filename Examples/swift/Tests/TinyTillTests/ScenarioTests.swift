import ScenarioFormat
import SimulatorTesting
import Testing

@Suite("The shipped till, in scenarios")
struct ScenarioTests {
    @Test("a card that is removed while it computes its cryptogram is not charged")
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

    @Test("the scenario files pass", arguments: try declines())
    func files(scenario: Scenario) async {
        await scenario.check()
    }
}

/// Plays every case of the file beside this one.
private func declines() throws -> [Scenario] {
    let folder = #filePath.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" }
    return try ScenarioFile.scenarios(path: "\(folder)/Scenarios/declined.yaml")
}
