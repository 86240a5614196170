internal import ArgumentParser
internal import Simulator

/// Finds models of simulated readers for commands.
enum ReaderModelCatalogue {
    static var names: [String] { models.map(\.name) }

    /// Those that behave, and those that do not.
    private static var models: [SimulatedReaderModel] { SimulatedReaderModel.all + SimulatedReaderModel.faulty }

    static var completion: CompletionKind { .list(names) }

    /// A reader of any kind.
    ///
    /// - Throws: `CommandFailure`
    static func reader(_ name: String) throws(CommandFailure) -> SimulatedReader {
        let readers = SimulatedReader.all + SimulatedReaderModel.faulty.map { .chip($0) }
        guard let reader = readers.first(where: { $0.name == name }) else {
            throw CommandFailure(
                .usage, code: "unknown_reader_model", message: "there is no simulated reader model '\(name)'",
                fix: .choice(of: name, among: readers.map(\.name), called: "models"))
        }
        return reader
    }
}
