internal import ArgumentParser
internal import Storage

/// `exceptions list`
struct ListExceptions: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Shows the list, with the last four digits of each card.")

    @OptionGroup var data: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        try output.reporting {
            let register = try CardFiles.register(data)
            let entries: [ExceptionView]
            do throws(StorageError) { entries = try register.exceptions().map(ExceptionView.init) } catch {
                throw CommandFailure(error)
            }
            guard !output.json else { return try StandardOutput.write(json: entries) }
            if entries.isEmpty { StandardError.write("No card is on the list.\n") }
            try StandardOutput.write(entries.map(\.line).joined())
        }
    }
}
