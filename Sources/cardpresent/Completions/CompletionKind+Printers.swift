internal import ArgumentParser
internal import Determinism
internal import Hardware

extension CompletionKind {
    /// The print queues. A print server that does not answer at once has none to offer.
    static var printers: CompletionKind {
        .custom { _, _, _ in
            await names(of: CUPSPrinterService(time: SystemTimeSource()), within: .seconds(1), SystemTimeSource())
        }
    }

    private static func names(
        of service: any PrinterService, within patience: Duration, _ time: any TimeSource
    ) async -> [String] {
        let asking = Task { try? await service.printers() }
        let deadline = Task(priority: .high) {
            try? await time.sleep(for: patience)
            asking.cancel()
        }
        defer { deadline.cancel() }
        return await asking.value?.map(\.name) ?? []
    }
}
