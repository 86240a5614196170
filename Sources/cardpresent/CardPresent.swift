internal import ArgumentParser

/// The command-line program.
@main
enum CardPresent {
    static func main() async {
        ProcessSetup.prepare()
        do {
            try NegativeAmount.refuse(CommandLine.arguments.dropFirst())
            var command = try await RootCommand.asyncParseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch let failure as CommandFailure {
            FailureReport(arguments: CommandLine.arguments.dropFirst()).tell(failure)
            RootCommand.exit(withError: ExitCode(failure.status.rawValue))
        } catch {
            // An exit code alone comes from a command that has said everything.
            if !(error is ExitCode), RootCommand.exitCode(for: error) == .validationFailure {
                let failure = CommandFailure(.usage, code: "usage", message: RootCommand.message(for: error))
                FailureReport(arguments: CommandLine.arguments.dropFirst()).tellPrograms(failure)
            }
            RootCommand.exit(withError: error)
        }
    }
}
