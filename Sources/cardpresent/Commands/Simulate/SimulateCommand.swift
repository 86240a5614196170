internal import ArgumentParser

/// `simulate`
struct SimulateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Runs simulated sessions, lends simulated hardware, and serves a simulated store.",
        subcommands: [
            SimulateRun.self, SimulateExplore.self, SimulateServe.self, SimulateSchema.self, SimulateCard.self,
            SimulateUSB.self,
            SimulateFirmware.self, SimulateStore.self,
        ])
}
