internal import ArgumentParser

/// How a command tells its result.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Print the result as JSON.")
    var json = false

    /// Runs a command's work. A failure is told to people on stderr and, with `--json`, to programs as an
    /// object with the key `error` on stdout.
    func reporting(_ work: () async throws -> Void) async throws {
        do { try await work() } catch let failure as CommandFailure { throw try report(failure) }
    }

    /// The same for work that waits for nothing.
    func reporting(_ work: () throws -> Void) throws {
        do { try work() } catch let failure as CommandFailure { throw try report(failure) }
    }

    private func report(_ failure: CommandFailure) throws -> ExitCode {
        failure.report()
        if json { try StandardOutput.write(json: ["error": ErrorView(failure)]) }
        return ExitCode(failure.status.rawValue)
    }
}
