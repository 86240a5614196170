internal import ArgumentParser
internal import CCID
internal import Hardware
internal import USB

/// `readers quirks`
struct ReaderQuirksCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "quirks", abstract: "Lists the readers that the driver treats specially, and why.",
        discussion: """
            A row names a reader by USB vendor and product and by firmware, what the driver does with it, and the source. \
            Rows about a reader that is plugged in are marked with *. docs/readers.md tells how to add rows in the \
            configuration.
            """)

    @OptionGroup var bus: BusOptions
    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await output.reporting {
            let settings = try configuration.load()
            let table = settings.readerQuirks
            let devices = try await ReaderCatalogue.readers(on: try bus.open(), settings).map(\.device.descriptor)
            let rows = table.rules.map { rule in
                QuirkRowView(rule, isPlugged: devices.contains(where: rule.applies))
            }
            guard !output.json else {
                return try StandardOutput.write(
                    json: QuirkTableView(allowsRefusedFirmware: table.allowsRefusedFirmware, rows: rows))
            }
            try StandardOutput.write(rows.map(\.text).joined())
        }
    }
}
