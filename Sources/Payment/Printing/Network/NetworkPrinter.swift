import Determinism

/// A receipt printer on the network, without a print server.
struct NetworkPrinter: Sendable {
    let name: String
    let address: PrinterAddress
    /// Whether the printer answers status queries.
    let answers: Bool
    let family: PrinterFamily
    let columns: Int
    private let time: any TimeSource

    /// Creates the printer; nil for a printer behind a queue.
    init?(_ printer: ReceiptPrinter, time: any TimeSource) {
        guard case .network(let address, let answers) = printer.connection else { return nil }
        (name, self.address, self.answers) = (printer.name, address, answers)
        (family, columns, self.time) = (printer.family, printer.columns, time)
    }

    private static let connectLimit = Duration.seconds(5)
    /// How long a busy printer may accept no bytes.
    private static let sendTimeout = Duration.seconds(15)
    /// The pause between two status queries to a printer that has not finished.
    private static let lookInterval = Duration.seconds(2)

    /// Returns the printer for a list, without querying it.
    func listed(isDefault: Bool) -> PrintQueue {
        PrintQueue(
            name: name, kind: .network, isDefault: isDefault, state: .unknown, isAcceptingJobs: true,
            address: address.description)
    }

    var capabilities: PrinterCapabilities {
        PrinterCapabilities(
            name: name, language: .escpos(family, columns: columns), formats: [PrintDocument.rawFormat],
            canConfirm: answers)
    }

    /// Queries the printer's status. When it does not answer, the result only means that it can be reached.
    ///
    /// - Throws: ``PrinterError/unreachable(printer:address:message:)``, ``PrinterError/canceled``
    func look(isDefault: Bool) async throws(PrinterError) -> PrintQueue {
        var queue = listed(isDefault: isDefault)
        var conversation = PrinterConversation(try await connect())
        guard answers else { return queue }
        do throws(PrinterLinkError) {
            guard let condition = try await family.dialogue.condition(&conversation) else { return queue }
            (queue.state, queue.reasons) = (condition.isReady ? .idle : .stopped, condition.reasons)
            // A printer that cannot print does not answer this query until it can.
            if condition.isReady { queue.model = try await family.dialogue.model(&conversation) }
            return queue
        } catch {
            throw unreachable(error)
        }
    }

    /// Sends a document, once per copy. Nothing is sent again after an error.
    ///
    /// - Throws: ``PrinterError``
    func print(_ document: PrintDocument, _ options: PrintOptions) async throws(PrinterError) -> PrintJob {
        guard document.format == PrintDocument.rawFormat else {
            throw .unsupportedFormat(document.format, printer: name, supported: [PrintDocument.rawFormat])
        }
        if let medium = options.medium { _ = try capabilities.medium(named: medium) }
        var conversation = PrinterConversation(try await connect())
        let mark = try await mark(&conversation)
        var bytes = document.bytes
        for _ in 1..<options.copies { bytes += document.bytes }
        // Status queries do not count as bytes of the document.
        let asked = conversation.link.bytesSent
        do throws(PrinterLinkError) {
            try await conversation.link.send(bytes + (mark?.bytes ?? []), timeout: Self.sendTimeout)
            if let mark { return try await confirmed(&conversation, mark, byteCount: bytes.count) }
            try await conversation.link.finish(timeout: Self.sendTimeout)
            return PrintJob(id: 0, printer: name, state: .processing)
        } catch {
            throw .interrupted(
                printer: name, bytesSent: min(bytes.count, max(0, conversation.link.bytesSent - asked)),
                byteCount: bytes.count, message: error.words)
        }
    }

    private func connect() async throws(PrinterError) -> PrinterLink {
        do throws(PrinterLinkError) {
            return try await PrinterLink.open(address, within: Self.connectLimit, time)
        } catch {
            throw unreachable(error)
        }
    }

    private func unreachable(_ error: PrinterLinkError) -> PrinterError {
        error == .canceled
            ? .canceled : .unreachable(printer: name, address: address.description, message: error.words)
    }

    /// Checks whether the printer can print.
    ///
    /// - Returns: How the printer reports that it has printed; nil when it does not answer.
    /// - Throws: ``PrinterError/notReady(printer:reasons:)``, ``PrinterError/unreachable(printer:address:message:)``,
    ///   ``PrinterError/canceled``
    private func mark(_ conversation: inout PrinterConversation) async throws(PrinterError) -> PrinterMark? {
        guard answers else { return nil }
        let condition: PrinterCondition?
        do throws(PrinterLinkError) { condition = try await family.dialogue.condition(&conversation) } catch {
            throw unreachable(error)
        }
        guard let condition else { return nil }
        guard condition.isReady else { throw .notReady(printer: name, reasons: condition.reasons) }
        do throws(PrinterLinkError) { return try await family.dialogue.mark(&conversation) } catch {
            throw unreachable(error)
        }
    }

    /// Waits until the printer reports that it has printed, or why it cannot continue.
    private func confirmed(
        _ conversation: inout PrinterConversation, _ mark: PrinterMark, byteCount: Int
    ) async throws(PrinterLinkError) -> PrintJob {
        var job = PrintJob(id: 0, printer: name, state: .processing)
        let (start, begin) = (conversation.received.count, time.reading())
        let limit = min(Self.longestPrinting, Self.shortestPrinting + Self.printingOfByte * byteCount)
        do throws(PrinterLinkError) {
            // Checks at least once, however late this task runs.
            repeat {
                if let question = mark.question {
                    try await conversation.link.send(question, timeout: Self.sendTimeout)
                }
                let hasSpoken = try await conversation.listen(within: Self.lookInterval)
                if mark.isAnswered(Array(conversation.received[start...])) {
                    (job.state, job.isConfirmed) = (.completed, true)
                    return job
                }
                guard !hasSpoken else {
                    do { try await time.sleep(for: Self.pause) } catch { throw .canceled }
                    continue
                }
                let condition = try await family.dialogue.condition(&conversation)
                // Offline without another reason is temporary, for example while the paper is changed.
                if let condition, !condition.isReady, condition.reasons != [PrinterReason.offline] {
                    (job.state, job.reasons) = (.stopped, condition.reasons)
                    return job
                }
            } while time.elapsed(since: begin) < limit
            job.message = "the printer did not report whether it printed"
        } catch {
            // The printer has all bytes and closed the connection regularly.
            guard error == .closed else { throw error }
            job.message = "the printer closed the connection before it reported whether it printed"
        }
        return job
    }

    private static let pause = Duration.milliseconds(200)
    /// The shortest time allowed for printing: a slow printer needs one second per kilobyte of text.
    private static let shortestPrinting = Duration.seconds(15)
    private static let printingOfByte = Duration.milliseconds(1)
    private static let longestPrinting = Duration.seconds(120)
}

/// The address of a network printer: a TCP port of a host.
public struct PrinterAddress: Hashable, Sendable, CustomStringConvertible {
    /// A host name, or an IPv4 or IPv6 address.
    public let host: String
    public let port: UInt16

    /// The default port of nearly all network printers.
    public static let standardPort: UInt16 = 9100
    private static let scheme = "socket://"

    /// Takes a name or an IP address, which is not looked up yet, and a port.
    public init(host: String, port: UInt16 = PrinterAddress.standardPort) { (self.host, self.port) = (host, port) }

    /// Parses `socket://HOST`, `socket://HOST:PORT`, and either with an IPv6 address in brackets. Nil for any other
    /// text; such printers have no authentication, so a user name is rejected.
    public init?(_ text: String) {
        guard text.lowercased().hasPrefix(Self.scheme) else { return nil }
        var rest = text.dropFirst(Self.scheme.count)
        if rest.hasSuffix("/") { rest.removeLast() }
        var port = Self.standardPort
        let isNumbered = rest.hasPrefix("[")
        let colon = rest.lastIndex(of: ":").flatMap { colon in
            isNumbered && rest[..<colon].last != "]" ? nil : colon
        }
        if let colon {
            guard let number = UInt16(rest[rest.index(after: colon)...]), number > 0 else { return nil }
            port = number
            rest = rest[..<colon]
        }
        if isNumbered {
            guard rest.hasSuffix("]") else { return nil }
            rest = rest.dropFirst().dropLast()
        }
        guard (1...253).contains(rest.utf8.count), rest.utf8.allSatisfy({ Self.isAllowed($0, isNumbered: isNumbered) })
        else { return nil }
        self.init(host: String(rest), port: port)
    }

    /// Whether a byte may occur in a host name (letters, digits, hyphen, and so on), or in an IPv6 address with its
    /// zone.
    private static func isAllowed(_ byte: UInt8, isNumbered: Bool) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"): true
        case UInt8(ascii: ":"), UInt8(ascii: "%"): isNumbered
        default: false
        }
    }

    public var description: String { Self.scheme + (host.contains(":") ? "[\(host)]" : host) + ":\(port)" }
}
