internal import ArgumentParser

/// How simulated hardware that is lent works, and what is told of it.
struct SimulationOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Makes the cards repeatable: to the same commands the same number gives the same bytes.",
            valueName: "number"))
    var seed: UInt64?
    @Flag(help: "Answer at once, however long readers and cards would work.")
    var virtualTime = false
    @Option(
        help: ArgumentHelp(
            "Write every command with its answer to this file, a JSON object a line, card data masked.",
            valueName: "file"),
        completion: .file())
    var trace: String?
    @Flag(help: "Print every event as a JSON object on a line of its own.")
    var json = false

    /// - Throws: `CommandFailure`
    func traceFile() throws(CommandFailure) -> TraceFile? {
        guard let trace else { return nil }
        return try TraceFile(path: trace)
    }
}
