/// Tells of a failure: people on stderr, and programs that asked for JSON on stdout.
struct FailureReport: Sendable {
    var isJSON: Bool
    /// Whether the command tells an outcome whatever happens, as `pay` and `refund` do.
    var hasOutcome: Bool

    init(isJSON: Bool, hasOutcome: Bool) { (self.isJSON, self.hasOutcome) = (isJSON, hasOutcome) }

    /// For arguments that could not be parsed.
    init(arguments: some Collection<String>) {
        isJSON = arguments.contains("--json")
        hasOutcome = arguments.first == "pay" || arguments.first == "refund"
    }

    func tell(_ failure: CommandFailure) {
        failure.report()
        tellPrograms(failure)
    }

    func tellPrograms(_ failure: CommandFailure) {
        guard isJSON else { return }
        do throws(CommandFailure) {
            if hasOutcome {
                try StandardOutput.write(json: OutcomeView(failure))
            } else {
                try StandardOutput.write(json: ["error": ErrorView(failure)])
            }
        } catch {
            error.report()
        }
    }
}
