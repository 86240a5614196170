internal import ArgumentParser

/// `simulate`
struct SimulateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate", abstract: "Lends simulated hardware, and serves a simulated store.",
        subcommands: [
            SimulateCard.self, SimulateUSB.self, SimulateFirmware.self, SimulateStore.self, SimulateServe.self,
        ])
}
