internal import Glibc

/// A file that a command makes. What was there before stays until all of the new one is written.
struct OutputFile: Sendable {
    let path: String

    /// - Throws: `CommandFailure`
    func write(_ bytes: [UInt8]) throws(CommandFailure) {
        let draft = try OutputDraft(path: path)
        draft.append(bytes)
        try draft.commit()
    }
}
