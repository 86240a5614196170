internal import ArgumentParser

/// `simulate`
struct SimulateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate", abstract: "Lends simulated hardware, or a simulated store, to other programs.",
        subcommands: [SimulateCard.self, SimulateUSB.self, SimulateFirmware.self, SimulateStore.self])
}
