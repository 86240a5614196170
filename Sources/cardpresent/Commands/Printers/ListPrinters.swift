internal import ArgumentParser
internal import Hardware

/// `printers list`
struct ListPrinters: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Lists the printers, and marks the default one with a star.",
        discussion: """
            These are the queues of the print server and the network printers of the configuration, which are asked how \
            they are. CUPS_SERVER names another print server.
            """)

    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var data: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await output.reporting {
            let printers = TillPrinters.service(try configuration.load(), data)
            let (listed, failure) = try await Self.listing(of: printers)
            let views = await Self.asked(listed, printers)
            if let failure {
                // Where there is nothing else, that is all there is to say.
                guard !views.isEmpty else { throw failure }
                StandardError.write("cardpresent: no print queues: \(failure.message)\n")
            }
            guard !output.json else { return try StandardOutput.write(json: views) }
            if views.isEmpty { StandardError.write("No printers: add one with lpadmin, or to the configuration.\n") }
            try StandardOutput.write(TextTable.text(views.map(\.cells)))
        }
    }

    private static func listing(
        of printers: Printers
    ) async throws(CommandFailure) -> (printers: [PrintQueue], failure: CommandFailure?) {
        do throws(PrinterError) {
            let listing = try await printers.listing()
            return (listing.printers, listing.failure.map(CommandFailure.init))
        } catch {
            throw CommandFailure(error)
        }
    }

    /// Asks the network printers, all at the same time.
    private static func asked(_ listed: [PrintQueue], _ printers: Printers) async -> [PrinterView] {
        await withTaskGroup(of: (Int, PrinterView).self) { group in
            for (index, printer) in listed.enumerated() {
                group.addTask {
                    guard printer.kind == .network else { return (index, PrinterView(printer)) }
                    do throws(PrinterError) {
                        return (index, PrinterView(try await printers.look(at: printer.name)))
                    } catch {
                        return (index, PrinterView(printer, unreachable: error))
                    }
                }
            }
            return await group.reduce(into: [(Int, PrinterView)]()) { $0.append($1) }
                .sorted { $0.0 < $1.0 }.map(\.1)
        }
    }
}
