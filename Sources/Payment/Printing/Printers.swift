public import Determinism

/// All printers of a till: the network printers of its configuration, and the queues of the print server. When two have
/// the same name, the configured one takes precedence.
public struct Printers: PrinterService {
    private let network: [NetworkPrinter]
    private let server: any PrinterService
    private let defaultName: String?
    private let time: any TimeSource

    ///   - configured: The configured receipt printers.
    ///   - defaultName: The default printer; nil for the print server's default, or, without one, the only network
    ///     printer.
    ///   - server: The print server; nil for CUPS.
    ///   - time: The time source for all waits.
    ///   - time: what all waiting waits on.
    public init(
        _ configured: [ReceiptPrinter], defaultName: String?, server: (any PrinterService)? = nil,
        time: any TimeSource
    ) {
        network = configured.compactMap { NetworkPrinter($0, time: time) }
        self.server = server ?? CUPSPrinterService(describing: configured, time: time)
        (self.defaultName, self.time) = (defaultName, time)
    }

    /// Leaves out the print server's queues when it does not answer and there are other printers: see ``listing()``.
    public func printers() async throws(PrinterError) -> [PrintQueue] {
        let listing = try await listing()
        if let failure = listing.failure, listing.printers.isEmpty { throw failure }
        return listing.printers
    }

    /// Returns the available printers, sorted by name, and why those of the print server are missing, if they are.
    ///
    /// - Throws: ``PrinterError/canceled``
    public func listing() async throws(PrinterError) -> (printers: [PrintQueue], failure: PrinterError?) {
        var queues: [PrintQueue] = []
        var failure: PrinterError?
        do throws(PrinterError) { queues = try await server.printers() } catch {
            guard error != .canceled else { throw error }
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
        job.isFinished ? job : try await server.status(of: job)
    }

    public func cancel(_ job: PrintJob) async throws(PrinterError) -> PrintJob {
        guard !job.isFinished else { return job }
        return try await server.cancel(job)
    }

    public func subscribe(to job: PrintJob) async throws(PrinterError) -> PrintJobSubscription? {
        job.isFinished ? nil : try await server.subscribe(to: job)
    }

    public func events(
        of subscription: PrintJobSubscription
    ) async throws(PrinterError) -> (states: [PrintJob.State], next: PrintJobSubscription)? {
        try await server.events(of: subscription)
    }

    public func wait(for duration: Duration) async throws(PrinterError) {
        do { try await time.sleep(for: duration) } catch { throw .canceled }
    }

    // MARK: Which one is meant

    private var onlyNetworkPrinter: NetworkPrinter? { network.count == 1 ? network.first : nil }

    private func isDefault(_ printer: String?) async throws(PrinterError) -> Bool {
        guard let printer else { return true }
        if let defaultName { return printer == defaultName }
        return try await listing().printers.contains { $0.name == printer && $0.isDefault }
    }

    /// Runs an operation on the selected network printer, otherwise on the print server.
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

/// The configuration of a receipt printer, since such a printer reports little about itself.
public struct ReceiptPrinter: Hashable, Sendable {
    /// How the printer is reached.
    public enum Connection: Hashable, Sendable {
        /// Through a raw queue of the print server, which passes bytes on unchanged.
        case queue
        /// Directly over the network. `answers` says whether the printer answers status queries.
        case network(PrinterAddress, answers: Bool)
    }

    /// The printer's name; for a queue, the queue's name.
    public let name: String
    public let connection: Connection
    public let family: PrinterFamily
    /// The number of columns of its built-in font.
    public let columns: Int

    /// The columns of a printer without a configured width: fewer than most printers for 80 mm have, so that no line
    /// wraps.
    public static let standardColumns = 42

    /// Describes a printer. `columns` is the number of characters in a line of its standard font.
    public init(
        name: String, connection: Connection, family: PrinterFamily = .epson,
        columns: Int = ReceiptPrinter.standardColumns
    ) {
        (self.name, self.connection, self.family, self.columns) = (name, connection, family, columns)
    }
}
