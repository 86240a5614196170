internal import ArgumentParser

/// `printers`
struct PrintersCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "printers", abstract: "Shows, tries and chooses printers.",
        subcommands: [ListPrinters.self, PrinterInfo.self, TestPrinter.self, DefaultPrinter.self])
}
