internal import ArgumentParser

/// How a command tells its result.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Print the result as one JSON value, failures too.")
    var json = false

    /// Runs a command's work. A failure is told to people on stderr and, with `--json`, to programs on stdout,
    /// as an object with the key `error`; with an outcome, the key `outcome` as well.
    ///
    /// - Throws: `ExitCode`, and what `work` throws that is no `CommandFailure`.
    func reporting(withOutcome hasOutcome: Bool = false, _ work: () async throws -> Void) async throws {
        do {
            try await work()
        } catch let failure as CommandFailure {
            FailureReport(isJSON: json, hasOutcome: hasOutcome).tell(failure)
            throw ExitCode(failure.status.rawValue)
        }
    }
}
