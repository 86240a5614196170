internal import ArgumentParser

/// How receipts are printed.
struct PrintingOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The printer. Default: see below.", valueName: "printer"), completion: .printers)
    var printer: String?
    @Option(help: ArgumentHelp("How many sheets of each copy, 1 to 20.", valueName: "number"))
    var copies: Int?
    @Option(
        help: ArgumentHelp(
            "The paper: 58mm, 80mm, a4, letter, or a name of the printer's own. Default: what is in it.",
            valueName: "medium"))
    var media: String?
    @Flag(inversion: .prefixedNo, help: "Wait for the end of the job.")
    var wait = true
    @Option(help: ArgumentHelp("How long to wait for it.", valueName: "seconds"))
    var timeout = 60

    func validate() throws {
        guard (1...20).contains(copies ?? 1) else { throw ValidationError("--copies is 1 to 20") }
        guard (1...3600).contains(timeout) else { throw ValidationError("--timeout is 1 to 3600 seconds") }
        guard printer != "" else { throw ValidationError("--printer names a printer") }
        guard media != "" else { throw ValidationError("--media names a paper") }
    }
}
