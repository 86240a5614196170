internal import Glibc

/// A file that others write to as well, at whose end something is added.
struct AppendedFile: Sendable {
    let path: String

    /// - Throws: `CommandFailure`
    func append(_ text: String) throws(CommandFailure) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw failure(errno) }
        defer { close(descriptor) }
        let reason = writeAll(Array(text.utf8), to: descriptor)
        guard reason == 0 else { throw failure(reason) }
    }

    private func failure(_ reason: Int32) -> CommandFailure {
        CommandFailure(
            .unavailable, code: "output_failed",
            message: "nothing can be added to '\(path)': \(String(cString: strerror(reason)))")
    }
}
