internal import ArgumentParser
internal import Hardware
internal import PCSC

/// Finds readers behind pcscd for commands.
enum PCSCReaderCatalogue {
    /// - Throws: `CommandFailure`
    static func readers() async throws(CommandFailure) -> [CardReader] {
        try await ReaderCatalogue.readers(of: PCSCReaderSource())
    }

    /// The reader with this name, or with a name of which this is a part that no other has; the first one when none is
    /// given. Upper and lower case are one.
    ///
    /// - Throws: `CommandFailure`
    static func find(_ name: String?, among readers: [CardReader]) throws(CommandFailure) -> CardReader {
        guard let name = name.map({ $0.hasPrefix("pcsc:") ? String($0.dropFirst("pcsc:".count)) : $0 }) else {
            guard let first = readers.first else {
                throw CommandFailure(
                    .reader, code: "reader_not_found", message: "pcscd has no card reader", fix: "plug one in")
            }
            return first
        }
        if let exact = readers.first(where: { $0.name == name }) { return exact }
        let found = readers.filter { $0.name.lowercased().contains(name.lowercased()) }
        guard let first = found.first else {
            throw CommandFailure(
                .reader, code: "reader_not_found", message: "pcscd has no reader '\(name)'",
                fix: readers.isEmpty
                    ? "plug it in" : .choice(of: name, among: readers.map(\.name), called: "readers"))
        }
        guard found.count == 1 else {
            throw CommandFailure(
                .usage, code: "reader_ambiguous", message: "'\(name)' is in the names of \(found.count) readers",
                fix: "give more of the name: " + found.map(\.name).joined(separator: ", "))
        }
        return first
    }

    /// What `--reader` may be, with the readers that pcscd has now, if it runs.
    static func completions() async -> [String] {
        var timing = PCSCTiming()
        // Somebody has pressed a key.
        (timing.command, timing.sharing) = (.seconds(1), .seconds(1))
        return ReaderChoice.allValueStrings + ((try? await PCSCReaderSource(timing: timing).readers()) ?? []).map(\.id)
    }
}
