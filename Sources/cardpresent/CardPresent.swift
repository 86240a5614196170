internal import ArgumentParser
internal import Glibc

/// The command-line program.
@main
enum CardPresent {
    static func main() async {
        // A reader of the output that goes away is an error of a write, not the end of a payment.
        signal(SIGPIPE, SIG_IGN)
        do {
            try NegativeAmount.refuse(CommandLine.arguments.dropFirst())
            var command = try RootCommand.parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch let failure as CommandFailure {
            failure.report()
            exit(failure.status.rawValue)
        } catch {
            RootCommand.exit(withError: error)
        }
    }
}
