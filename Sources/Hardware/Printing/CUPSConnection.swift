internal import CCUPS

/// A connection to the print server for the length of one operation.
struct CUPSConnection: ~Copyable {
    private let cups: ccups_functions
    private let http: OpaquePointer
    private let server: String

    /// Seconds without a byte from the server before an operation is given up.
    private static let answerTimeout = 15.0
    /// Milliseconds to wait for the server to accept the connection.
    private static let connectTimeout: Int32 = 5000

    /// - Parameter server: host, host and port, or the path of a socket; nil for what `CUPS_SERVER` or
    ///   the configuration of CUPS says.
    /// - Throws: ``PrinterError/libraryMissing(_:)``, ``PrinterError/serverUnavailable(server:message:)``
    init(server: String?) throws(PrinterError) {
        let cups = try CUPSLibrary.load().functions
        // libcups keeps the server's name for each thread, and the thread may have served another one.
        cups.cupsSetServer(server)
        let server = cups.cupsServer().map { String(cString: $0) } ?? "localhost"
        guard
            let http = cups.httpConnect2(
                cups.cupsServer(), cups.ippPort(), nil, 0, cups.cupsEncryption(), 1, Self.connectTimeout, nil)
        else {
            throw .serverUnavailable(server: server, message: Self.lastError(cups))
        }
        (self.cups, self.server, self.http) = (cups, server, http)
        // Without a callback that asks for more time, a server that says nothing ends the operation.
        cups.httpSetTimeout(http, Self.answerTimeout, nil, nil)
    }

    deinit { cups.httpClose(http) }

    borrowing func destinationNames() throws(PrinterError) -> [String] { try queues().map(\.name) }

    /// The queues of the server; a variant of one that a user has made with options of its own is none.
    borrowing func queues() throws(PrinterError) -> [PrintQueue] {
        var destinations: UnsafeMutablePointer<cups_dest_t>?
        let count = cups.cupsGetDests2(http, &destinations)
        defer { cups.cupsFreeDests(count, destinations) }
        guard let destinations, count > 0 else { return [] }
        var queues: [PrintQueue] = []
        for destination in UnsafeBufferPointer(start: destinations, count: Int(count)) {
            func option(_ name: String, _ cups: ccups_functions) -> String? {
                cups.cupsGetOption(name, destination.num_options, destination.options).map { String(cString: $0) }
            }
            guard let name = destination.name.map({ String(cString: $0) }), destination.instance == nil else {
                continue
            }
            let state = option("printer-state", cups).flatMap { Int($0) }.flatMap(PrintQueue.State.init) ?? .idle
            queues.append(
                PrintQueue(
                    name: name, isDefault: destination.is_default != 0, state: state,
                    isAcceptingJobs: option("printer-is-accepting-jobs", cups) != "false",
                    reasons: option("printer-state-reasons", cups)?.split(separator: ",").map(String.init) ?? [],
                    message: state == .stopped ? stateMessage(of: name) : nil))
        }
        return queues
    }

    /// What a queue says of its state for people, which is not among the options of a destination; nil when it says
    /// nothing.
    private borrowing func stateMessage(of queue: String) -> String? {
        guard let request = cups.ippNewRequest(IPP_OP_GET_PRINTER_ATTRIBUTES) else { return nil }
        // CUPS lets a name have any character but those that end a path (RFC 3986 §2.1).
        let path = queue.utf8.map { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
        _ = cups.ippAddString(
            request, IPP_TAG_OPERATION, IPP_TAG_URI, "printer-uri", nil, "ipp://localhost/printers/\(path)")
        _ = cups.ippAddString(
            request, IPP_TAG_OPERATION, IPP_TAG_KEYWORD, "requested-attributes", nil, "printer-state-message")
        guard let answer = cups.cupsDoRequest(http, request, "/") else { return nil }
        defer { cups.ippDelete(answer) }
        return strings(answer, "printer-state-message", IPP_TAG_TEXT).first { !$0.isEmpty }
    }

    borrowing func submit(_ document: PrintDocument, to printer: String?) throws(PrinterError) -> PrintJob {
        guard let destination = cups.cupsGetNamedDest(http, printer, nil) else {
            let available = try destinationNames()
            if let printer { throw .printerNotFound(printer, available: available) }
            throw .noDefaultPrinter(available: available)
        }
        defer { cups.cupsFreeDests(1, destination) }
        let name = destination.pointee.name.map { String(cString: $0) } ?? printer ?? ""
        guard let information = cups.cupsCopyDestInfo(http, destination) else {
            throw .rejected(printer: name, message: Self.lastError(cups))
        }
        defer { cups.cupsFreeDestInfo(information) }
        var options: UnsafeMutablePointer<cups_option_t>?
        let optionCount = cups.cupsAddOption("document-format", document.format, 0, &options)
        defer { cups.cupsFreeOptions(optionCount, options) }
        var id: Int32 = 0
        let created = cups.cupsCreateDestJob(
            http, destination, information, &id, document.title, optionCount, options)
        guard created == IPP_STATUS_OK || created == IPP_STATUS_OK_IGNORED_OR_SUBSTITUTED else {
            throw .rejected(printer: name, message: Self.lastError(cups))
        }
        try send(document, job: id, to: destination, information: information, name: name)
        return PrintJob(id: id, printer: name, state: .pending)
    }

    private borrowing func send(
        _ document: PrintDocument, job: Int32, to destination: UnsafeMutablePointer<cups_dest_t>,
        information: OpaquePointer, name: String
    ) throws(PrinterError) {
        var status = cups.cupsStartDestDocument(
            http, destination, information, job, document.title, document.format, 0, nil, 1)
        if status == HTTP_STATUS_CONTINUE {
            status = document.bytes.withUnsafeBytes { buffer in
                cups.cupsWriteRequestData(http, buffer.baseAddress?.assumingMemoryBound(to: CChar.self), buffer.count)
            }
        }
        let finished = cups.cupsFinishDestDocument(http, destination, information)
        guard status == HTTP_STATUS_CONTINUE,
            finished == IPP_STATUS_OK || finished == IPP_STATUS_OK_IGNORED_OR_SUBSTITUTED
        else {
            let message = Self.lastError(cups)
            // A job without its document would wait in the queue for ever.
            _ = cups.cupsCancelDestJob(http, destination, job)
            throw .rejected(printer: name, message: message)
        }
    }

    borrowing func status(of job: PrintJob) throws(PrinterError) -> PrintJob {
        guard let request = cups.ippNewRequest(IPP_OP_GET_JOB_ATTRIBUTES) else {
            throw .serverUnavailable(server: server, message: Self.lastError(cups))
        }
        _ = cups.ippAddString(
            request, IPP_TAG_OPERATION, IPP_TAG_URI, "job-uri", nil, "ipp://localhost/jobs/\(job.id)")
        _ = cups.ippAddString(
            request, IPP_TAG_OPERATION, IPP_TAG_NAME, "requesting-user-name", nil, cups.cupsUser())
        guard let answer = cups.cupsDoRequest(http, request, "/") else {
            throw .serverUnavailable(server: server, message: Self.lastError(cups))
        }
        defer { cups.ippDelete(answer) }
        guard let attribute = cups.ippFindAttribute(answer, "job-state", IPP_TAG_ENUM),
            let state = PrintJob.State(number: cups.ippGetInteger(attribute, 0))
        else { throw .rejected(printer: job.printer, message: Self.lastError(cups)) }
        return PrintJob(
            id: job.id, printer: job.printer, state: state,
            reasons: strings(answer, "job-state-reasons", IPP_TAG_KEYWORD),
            message: strings(answer, "job-printer-state-message", IPP_TAG_TEXT).first { !$0.isEmpty })
    }

    private borrowing func strings(_ answer: OpaquePointer, _ name: String, _ tag: ipp_tag_t) -> [String] {
        guard let attribute = cups.ippFindAttribute(answer, name, tag) else { return [] }
        return (0..<cups.ippGetCount(attribute)).compactMap { index in
            cups.ippGetString(attribute, index, nil).map { String(cString: $0) }
        }
    }

    private static func lastError(_ cups: ccups_functions) -> String {
        cups.cupsLastErrorString().map { String(cString: $0) } ?? "no reason given"
    }
}
