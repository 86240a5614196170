internal import Determinism

/// A receipt printer that is reached over the network, without a print server.
struct NetworkPrinter: Sendable {
    let name: String
    let address: PrinterAddress
    /// Whether it is asked how it is, and whether it is done.
    let answers: Bool
    let family: PrinterFamily
    let columns: Int
    private let time: any TimeSource

    /// Nil for a printer behind a queue.
    init?(_ printer: ReceiptPrinter, time: any TimeSource) {
        guard case .network(let address, let answers) = printer.connection else { return nil }
        (name, self.address, self.answers) = (printer.name, address, answers)
        (family, columns, self.time) = (printer.family, printer.columns, time)
    }

    private static let connectLimit = Duration.seconds(5)
    /// How long a printer that is busy may take no bytes.
    private static let sendPatience = Duration.seconds(15)
    /// How often a printer that has not finished is asked how it is.
    private static let lookInterval = Duration.seconds(2)

    /// The printer as it is listed, without asking it.
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

    /// Asks the printer how it is. Of one that does not answer it is only known that it can be reached.
    ///
    /// - Throws: ``PrinterError/unreachable(printer:address:message:)``, ``PrinterError/cancelled``
    func look(isDefault: Bool) async throws(PrinterError) -> PrintQueue {
        var queue = listed(isDefault: isDefault)
        var conversation = PrinterConversation(try await connect())
        guard answers else { return queue }
        do throws(PrinterLinkError) {
            guard let condition = try await family.dialogue.condition(&conversation) else { return queue }
            (queue.state, queue.reasons) = (condition.isReady ? .idle : .stopped, condition.reasons)
            // A printer that cannot print keeps this question until it can.
            if condition.isReady { queue.model = try await family.dialogue.model(&conversation) }
            return queue
        } catch {
            throw unreachable(error)
        }
    }

    /// Sends a document, as often as there are to be copies. Nothing is sent again.
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
        // The questions are no part of the document.
        let asked = conversation.link.bytesSent
        do throws(PrinterLinkError) {
            try await conversation.link.send(bytes + (mark?.bytes ?? []), patience: Self.sendPatience)
            if let mark { return try await confirmed(&conversation, mark, byteCount: bytes.count) }
            try await conversation.link.finish(patience: Self.sendPatience)
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
        error == .cancelled
            ? .cancelled : .unreachable(printer: name, address: address.description, message: error.words)
    }

    /// Asks the printer whether it can print.
    ///
    /// - Returns: how it will say that it has printed; nil when it does not answer.
    /// - Throws: ``PrinterError/notReady(printer:reasons:)``, ``PrinterError/unreachable(printer:address:message:)``,
    ///   ``PrinterError/cancelled``
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

    /// Waits until the printer says that it has printed, or why it does not go on.
    private func confirmed(
        _ conversation: inout PrinterConversation, _ mark: PrinterMark, byteCount: Int
    ) async throws(PrinterLinkError) -> PrintJob {
        var job = PrintJob(id: 0, printer: name, state: .processing)
        let (start, begin) = (conversation.received.count, time.reading())
        let limit = min(Self.longestPrinting, Self.shortestPrinting + Self.printingOfByte * byteCount)
        do throws(PrinterLinkError) {
            // Looked at once at least, however late this task gets to it.
            repeat {
                if let question = mark.question {
                    try await conversation.link.send(question, patience: Self.sendPatience)
                }
                let hasSpoken = try await conversation.listen(within: Self.lookInterval)
                if mark.isAnswered(Array(conversation.received[start...])) {
                    (job.state, job.isConfirmed) = (.completed, true)
                    return job
                }
                guard !hasSpoken else {
                    do { try await time.sleep(for: Self.pause) } catch { throw .cancelled }
                    continue
                }
                let condition = try await family.dialogue.condition(&conversation)
                // Off line alone passes: somebody feeds the paper, or changes it.
                if let condition, !condition.isReady, condition.reasons != [PrinterReason.offline] {
                    (job.state, job.reasons) = (.stopped, condition.reasons)
                    return job
                }
            } while time.elapsed(since: begin) < limit
            job.message = "it does not say whether it has printed"
        } catch {
            // It has all bytes, and hung up in good order.
            guard error == .closed else { throw error }
            job.message = "it hung up before it said whether it has printed"
        }
        return job
    }

    private static let pause = Duration.milliseconds(200)
    /// What printing may take: a slow printer needs a second for a kilobyte of letters.
    private static let shortestPrinting = Duration.seconds(15)
    private static let printingOfByte = Duration.milliseconds(1)
    private static let longestPrinting = Duration.seconds(120)
}
