internal import ArgumentParser

/// `taxes`
struct TaxesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "taxes", abstract: "Shows the tax rates and tax classes of the store.",
        subcommands: [ListTaxRates.self, ListTaxClasses.self, ShowTaxRate.self])
}
