public import Determinism

/// All printers that a till has: those of its configuration that are reached over the network, and the queues of the
/// print server. Of two with the same name the configuration's is meant.
public struct Printers: PrinterService {
    private let network: [NetworkPrinter]
    private let server: any PrinterService
    private let defaultName: String?
    private let time: any TimeSource

    /// - Parameters:
    ///   - configured: what the configuration says of receipt printers.
    ///   - defaultName: the printer for which nobody asks by name; nil for the print server's default, and the only
    ///     network printer where there is no such.
    ///   - server: the print server; nil for CUPS.
    ///   - time: what all waiting waits on.
    public init(
        _ configured: [ReceiptPrinter], defaultName: String?, server: (any PrinterService)? = nil,
        time: any TimeSource
    ) {
        network = configured.compactMap { NetworkPrinter($0, time: time) }
        self.server = server ?? CUPSPrinterService(describing: configured, time: time)
        (self.defaultName, self.time) = (defaultName, time)
    }

    /// Without the print server's where it does not answer and there are others: see ``listing()``.
    public func printers() async throws(PrinterError) -> [PrintQueue] {
        let listing = try await listing()
        if let failure = listing.failure, listing.printers.isEmpty { throw failure }
        return listing.printers
    }

    /// The printers that there are, in the order of their names, and why those of the print server are not among them.
    ///
    /// - Throws: ``PrinterError/cancelled``
    public func listing() async throws(PrinterError) -> (printers: [PrintQueue], failure: PrinterError?) {
        var queues: [PrintQueue] = []
        var failure: PrinterError?
        do throws(PrinterError) { queues = try await server.printers() } catch {
            guard error != .cancelled else { throw error }
            failure = error
        }
        queues.removeAll { queue in network.contains { $0.name == queue.name } }
        let name = defaultName ?? queues.first(where: \.isDefault)?.name ?? onlyNetworkPrinter?.name
        for index in queues.indices { queues[index].isDefault = queues[index].name == name }
        queues += network.map { $0.listed(isDefault: $0.name == name) }
        return (queues.sorted { $0.name < $1.name }, failure)
    }

    public func look(at printer: String?) async throws(PrinterError) -> PrintQueue {
        let isDefault = try await isDefault(printer)
        return try await use(printer) { network throws(PrinterError) in
            try await network.look(isDefault: isDefault)
        } server: { server, name throws(PrinterError) in
            var queue = try await server.look(at: name)
            queue.isDefault = isDefault
            return queue
        }
    }

    public func capabilities(of printer: String?) async throws(PrinterError) -> PrinterCapabilities {
        try await use(printer) { network throws(PrinterError) in
            network.capabilities
        } server: { server, name throws(PrinterError) in
            try await server.capabilities(of: name)
        }
    }

    public func submit(
        _ document: PrintDocument, to printer: String?, options: PrintOptions
    ) async throws(PrinterError) -> PrintJob {
        try await use(printer) { network throws(PrinterError) in
            try await network.print(document, options)
        } server: { server, name throws(PrinterError) in
            try await server.submit(document, to: name, options: options)
        }
    }

    public func job(titled title: String, on printer: String) async throws(PrinterError) -> PrintJob? {
        guard !network.contains(where: { $0.name == printer }) else { return nil }
        return try await server.job(titled: title, on: printer)
    }

    public func status(of job: PrintJob) async throws(PrinterError) -> PrintJob {
        job.isSettled ? job : try await server.status(of: job)
    }

    public func cancel(_ job: PrintJob) async throws(PrinterError) -> PrintJob {
        guard !job.isSettled else { return job }
        return try await server.cancel(job)
    }

    public func subscribe(to job: PrintJob) async throws(PrinterError) -> PrintJobSubscription? {
        job.isSettled ? nil : try await server.subscribe(to: job)
    }

    public func events(
        of subscription: PrintJobSubscription
    ) async throws(PrinterError) -> (states: [PrintJob.State], next: PrintJobSubscription)? {
        try await server.events(of: subscription)
    }

    public func wait(for duration: Duration) async throws(PrinterError) {
        do { try await time.sleep(for: duration) } catch { throw .cancelled }
    }

    // MARK: Which one is meant

    private var onlyNetworkPrinter: NetworkPrinter? { network.count == 1 ? network.first : nil }

    private func isDefault(_ printer: String?) async throws(PrinterError) -> Bool {
        guard let printer else { return true }
        if let defaultName { return printer == defaultName }
        return try await listing().printers.contains { $0.name == printer && $0.isDefault }
    }

    /// Hands on to the network printer that is meant, else to the print server.
    private func use<Value: Sendable>(
        _ printer: String?, network body: (NetworkPrinter) async throws(PrinterError) -> Value,
        server ask: (any PrinterService, String?) async throws(PrinterError) -> Value
    ) async throws(PrinterError) -> Value {
        let name = printer ?? defaultName
        if let found = network.first(where: { $0.name == name }) { return try await body(found) }
        if name == nil, let only = onlyNetworkPrinter, try await !listing().printers.contains(where: isQueueOfDefault) {
            return try await body(only)
        }
        do throws(PrinterError) {
            return try await ask(server, name)
        } catch {
            let others = network.map(\.name)
            switch error {
            case .printerNotFound(let name, let available):
                throw .printerNotFound(name, available: (available + others).sorted())
            case .noDefaultPrinter(let available): throw .noDefaultPrinter(available: (available + others).sorted())
            default: throw error
            }
        }
    }

    private func isQueueOfDefault(_ queue: PrintQueue) -> Bool { queue.isDefault && queue.kind == .queue }
}
