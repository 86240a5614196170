internal import ArgumentParser

/// How a command tells its result.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Print the result as JSON.")
    var json = false

    /// Runs a command's work. A failure is told to people on stderr and, with `--json`, to programs as an
    /// object with the key `error` on stdout.
    func reporting(_ work: () async throws -> Void) async throws {
        do {
            try await work()
        } catch let failure as CommandFailure {
            failure.report()
            if json { try StandardOutput.write(json: ["error": ErrorView(failure)]) }
            throw ExitCode(failure.status.rawValue)
        }
    }
}
