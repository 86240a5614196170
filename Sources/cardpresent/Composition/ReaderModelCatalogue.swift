internal import ArgumentParser
internal import Simulator

/// Finds models of simulated readers for commands.
enum ReaderModelCatalogue {
    static var names: [String] { SimulatedReaderModel.all.map(\.name) }

    static var completion: CompletionKind { .list(names) }

    /// A reader of any kind.
    ///
    /// - Throws: `CommandFailure`
    static func reader(_ name: String) throws(CommandFailure) -> SimulatedReader {
        guard let reader = SimulatedReader.all.first(where: { $0.name == name }) else {
            throw CommandFailure(
                .usage, code: "unknown_reader_model", message: "there is no simulated reader model '\(name)'",
                fix: .choice(of: name, among: SimulatedReader.all.map(\.name), called: "models"))
        }
        return reader
    }

    /// - Throws: `CommandFailure`
    static func model(_ name: String) throws(CommandFailure) -> SimulatedReaderModel {
        guard let model = SimulatedReaderModel.all.first(where: { $0.name == name }) else {
            throw CommandFailure(
                .usage, code: "unknown_reader_model", message: "there is no simulated reader model '\(name)'",
                fix: .choice(of: name, among: names, called: "models"))
        }
        return model
    }
}
