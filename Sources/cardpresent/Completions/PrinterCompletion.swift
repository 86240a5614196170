internal import ArgumentParser
internal import Determinism
internal import Hardware

/// The printers that a shell offers: those of the configuration that the command line names, and the queues of the print
/// server when it answers at once.
enum PrinterCompletion {
    /// Somebody has pressed a key and waits.
    private static let patience = Duration.seconds(1)

    static func names(_ typed: [String]) async -> [String] {
        var options = ConfigurationOptions()
        options.config = TypedWords(typed).value(of: "--config")
        let configured = ((try? options.load()) ?? TillConfiguration()).printers.map(\.name)
        let queues = await queues(SystemTimeSource())
        return (configured + queues.filter { !configured.contains($0) }).sorted()
    }

    private static func queues(_ time: any TimeSource) async -> [String] {
        let asking = Task { try? await CUPSPrinterService(time: time).printers() }
        let deadline = Task(priority: .high) {
            try? await time.sleep(for: patience)
            asking.cancel()
        }
        defer { deadline.cancel() }
        return await asking.value?.map(\.name) ?? []
    }
}

extension CompletionKind {
    /// The printers.
    static var printers: CompletionKind { .custom { words, _, _ in await PrinterCompletion.names(words) } }
}
