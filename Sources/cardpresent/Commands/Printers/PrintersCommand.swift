internal import ArgumentParser

/// `printers`
struct PrintersCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "printers", abstract: "Shows and tries printers, and chooses the default one.",
        subcommands: [ListPrinters.self, PrinterInfo.self, TestPrinter.self, DefaultPrinter.self])
}
