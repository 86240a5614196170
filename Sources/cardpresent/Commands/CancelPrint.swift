internal import ArgumentParser
internal import Yosemite

/// `receipts cancel`
struct CancelPrint: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel", abstract: "Takes a print out of its queue.",
        discussion: """
            Exits with 6 when it came to its end before it could be cancelled. A printer that had begun may have left \
            paper: printed again, the copy is marked as a duplicate.
            """)

    @Argument(help: "The print as 'receipts jobs' shows it, for example J000001.")
    var job: PrintName
    @OptionGroup var configurationOptions: ConfigurationOptions
    @OptionGroup var data: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await output.reporting {
            let till = try await Till.open(settings: try configurationOptions.load(), data: data)
            till.announceRecovery()
            let print = try await till.cancelPrint(job.id)
            guard print.state == .failed else {
                throw CommandFailure(
                    .printer, code: "not_cancelled",
                    message: "\(print.name) is \(print.state.rawValue): it was too late")
            }
            guard !output.json else { return try StandardOutput.write(json: ReceiptPrintView(print)) }
            try StandardOutput.write(
                "\(print.name) is cancelled: "
                    + (print.mayBePrinted ? "the printer had begun, look at the paper\n" : "nothing was printed\n"))
        }
    }
}
