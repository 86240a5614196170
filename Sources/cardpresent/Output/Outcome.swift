internal import ArgumentParser

/// The end of a command that moves money: its exit code tells what became of the money, and nothing else.
enum Outcome {
    /// Writes the result. When that fails, it is said, and the money is where it is all the same.
    static func tell(_ write: () throws(CommandFailure) -> Void) {
        do throws(CommandFailure) {
            try write()
        } catch {
            error.report()
        }
    }

    /// Ends the command.
    ///
    /// - Parameter failure: why the money did not move; nil when it did.
    /// - Throws: `ExitCode`
    static func end(_ failure: CommandFailure?) throws {
        guard let failure else { return }
        failure.report()
        throw ExitCode(failure.status.rawValue)
    }
}
