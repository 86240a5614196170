internal import ArgumentParser

/// How a command tells its result.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Print the result as one JSON value, failures too.")
    var json = false

    /// Runs a command's work. A failure is told to people on stderr and, with `--json`, to programs on stdout.
    ///
    /// - Parameters:
    ///   - hasOutcome: whether that JSON object has the key `outcome` besides `error`.
    ///   - work: what the command does.
    /// - Throws: the exit code of a failure.
    func reporting(withOutcome hasOutcome: Bool = false, _ work: () async throws -> Void) async throws {
        do { try await work() } catch let failure as CommandFailure { throw report(failure, hasOutcome) }
    }

    /// The same for work that waits for nothing.
    ///
    /// - Throws: the exit code of a failure.
    func reporting(_ work: () throws -> Void) throws {
        do { try work() } catch let failure as CommandFailure { throw report(failure, false) }
    }

    private func report(_ failure: CommandFailure, _ hasOutcome: Bool) -> ExitCode {
        FailureReport(isJSON: json, hasOutcome: hasOutcome).tell(failure)
        return ExitCode(failure.status.rawValue)
    }
}
