import CCUPS
import Text

/// A connection to the print server for the duration of one operation.
struct CUPSConnection: ~Copyable {
    let cups: ccups_functions
    let http: OpaquePointer
    let server: String

    /// Seconds without a byte from the server before an operation is given up.
    private static let answerTimeout = 15.0
    /// Milliseconds to wait for the server to accept the connection.
    private static let connectTimeout: Int32 = 5000

    /// - Parameter server: Host, host and port, or the path of a socket; nil for `CUPS_SERVER` or the configuration of
    ///   CUPS.
    /// - Throws: ``PrinterError/libraryMissing(_:)``, ``PrinterError/serverUnavailable(server:message:)``
    init(server: String?) throws(PrinterError) {
        let cups = try CUPSLibrary.load().functions
        // libcups stores the server's name per thread, and this thread may have used another server before.
        cups.cupsSetServer(server)
        let server = cups.cupsGetServer().map { String(cString: $0) } ?? "localhost"
        guard let http = ccups_connect(cups, Self.connectTimeout) else {
            throw .serverUnavailable(server: server, message: Self.lastError(cups))
        }
        (self.cups, self.server, self.http) = (cups, server, http)
        // Without a callback that asks for more time, an unresponsive server ends the operation.
        cups.httpSetTimeout(http, Self.answerTimeout, nil, nil)
    }

    deinit { cups.httpClose(http) }

    var lastError: String { Self.lastError(cups) }

    private static func lastError(_ cups: ccups_functions) -> String {
        cups.cupsGetErrorString().map { String(cString: $0) } ?? "no reason given"
    }

    // MARK: Requests and answers

    /// - Throws: ``PrinterError/serverUnavailable(server:message:)`` when out of memory.
    borrowing func request(_ operation: ipp_op_t, uri: (name: String, value: String)) throws(PrinterError)
        -> OpaquePointer
    {
        guard let request = cups.ippNewRequest(operation) else {
            throw .serverUnavailable(server: server, message: lastError)
        }
        _ = cups.ippAddString(request, IPP_TAG_OPERATION, IPP_TAG_URI, uri.name, nil, uri.value)
        _ = cups.ippAddString(
            request, IPP_TAG_OPERATION, IPP_TAG_NAME, "requesting-user-name", nil, cups.cupsGetUser())
        return request
    }

    /// Sends a request and frees it.
    ///
    /// - Returns: The answer, which the caller deletes, and its status.
    /// - Throws: ``PrinterError/serverUnavailable(server:message:)``
    borrowing func send(_ request: OpaquePointer) throws(PrinterError) -> (OpaquePointer, ipp_status_t) {
        guard let answer = cups.cupsDoRequest(http, request, "/") else {
            throw .serverUnavailable(server: server, message: lastError)
        }
        return (answer, cups.ippGetStatusCode(answer))
    }

    borrowing func strings(_ answer: OpaquePointer, _ name: String, _ tag: ipp_tag_t) -> [String] {
        cups.ippFindAttribute(answer, name, tag).map { strings($0) } ?? []
    }

    borrowing func strings(_ attribute: OpaquePointer) -> [String] {
        let cups = cups
        return (0..<ccups_count_values(cups, attribute)).compactMap { index in
            ccups_string(cups, attribute, index).map { String(cString: $0) }
        }
    }

    /// Returns the first value of each attribute with this name: one per group of the answer.
    borrowing func integers(_ answer: OpaquePointer, _ name: String, _ tag: ipp_tag_t) -> [Int32] {
        var values: [Int32] = []
        var next = cups.ippFindAttribute(answer, name, tag)
        while let attribute = next {
            values.append(ccups_integer(cups, attribute, 0))
            next = cups.ippFindNextAttribute(answer, name, tag)
        }
        return values
    }
}

/// The functions of libcups, loaded on first use.
struct CUPSLibrary: Sendable {
    /// Pointers to functions of a library that is never closed, so they stay valid.
    let functions: ccups_functions

    static func load() throws(PrinterError) -> CUPSLibrary { try loaded.get() }

    private static let loaded: Result<CUPSLibrary, PrinterError> = {
        var functions = ccups_functions()
        if let missing = ccups_load(&functions) {
            return .failure(.libraryMissing(String(cString: missing)))
        }
        return .success(CUPSLibrary(functions: functions))
    }()
}

extension CUPSConnection {
    /// Returns the queues of the server, without the variants (instances) that users have created with options of their
    /// own.
    borrowing func queues() throws(PrinterError) -> [PrintQueue] {
        var destinations: UnsafeMutablePointer<cups_dest_t>?
        let count = ccups_get_destinations(cups, http, &destinations)
        defer { ccups_free_destinations(cups, count, destinations) }
        guard let destinations else { return [] }
        var queues: [PrintQueue] = []
        for index in 0..<count {
            guard destinations[index].instance == nil, let queue = queue(destinations + index) else { continue }
            queues.append(queue)
        }
        return queues.sorted { $0.name < $1.name }
    }

    /// Creates a queue from the options of its destination; nil for one without a name.
    borrowing func queue(_ destination: UnsafePointer<cups_dest_t>) -> PrintQueue? {
        let cups = cups
        func option(_ name: String) -> String? {
            ccups_option_of(cups, destination, name).map { String(cString: $0) }
        }
        guard let name = destination.pointee.name.map({ String(cString: $0) }) else { return nil }
        let state = option("printer-state").flatMap { Int($0) }.flatMap(PrintQueue.State.init) ?? .unknown
        return PrintQueue(
            name: name, isDefault: ccups_is_default(destination), state: state,
            isAcceptingJobs: option("printer-is-accepting-jobs") != "false",
            reasons: option("printer-state-reasons")?.split(separator: ",").map(String.init) ?? [],
            message: state == .idle ? nil : stateMessage(of: name),
            address: option("device-uri").map(PrintQueue.withoutCredentials),
            model: option("printer-make-and-model"))
    }

    /// Returns the human-readable state message of a queue, which is not among the options of a destination; nil when
    /// there is none.
    private borrowing func stateMessage(of queue: String) -> String? {
        guard
            let request = try? request(IPP_OP_GET_PRINTER_ATTRIBUTES, uri: ("printer-uri", Self.uri(ofQueue: queue)))
        else { return nil }
        _ = cups.ippAddString(
            request, IPP_TAG_OPERATION, IPP_TAG_KEYWORD, "requested-attributes", nil, "printer-state-message")
        guard let (answer, _) = try? send(request) else { return nil }
        defer { cups.ippDelete(answer) }
        return strings(answer, "printer-state-message", IPP_TAG_TEXT).first { !$0.isEmpty }
    }

    /// CUPS allows any character in a name except those that end a path (RFC 3986 §2.1).
    static func uri(ofQueue name: String) -> String {
        "ipp://localhost/printers/"
            + name.utf8.map { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                    ? String(UnicodeScalar(byte)) : "%" + byte.lowercaseHexadecimal
            }.joined()
    }
}

extension CUPSConnection {
    /// Returns the newest job with this title that the server still knows, waiting or ended.
    ///
    /// - Throws: ``PrinterError/rejected(printer:message:)`` when the server does not list its jobs, for example
    ///   because it is busy, so that the job may be among them; ``PrinterError/serverUnavailable(server:message:)``
    borrowing func job(titled title: String, on printer: String) throws(PrinterError) -> PrintJob? {
        let request = try request(IPP_OP_GET_JOBS, uri: ("printer-uri", Self.uri(ofQueue: printer)))
        _ = cups.ippAddString(request, IPP_TAG_OPERATION, IPP_TAG_KEYWORD, "which-jobs", nil, "all")
        // cupsd 2.4 lists an ended job without its name, unless asked for something that it must read from the job's
        // file.
        ccups_ask_for(cups, request, "job-id", "job-name", "job-priority")
        let (answer, status) = try send(request)
        defer { cups.ippDelete(answer) }
        // A queue that does not exist has no jobs. The codes of success are those below 0x0100 (RFC 8011 §4.1.6.1).
        guard status != IPP_STATUS_ERROR_NOT_FOUND else { return nil }
        guard status.rawValue < 0x0100 else { throw .rejected(printer: printer, message: lastError) }
        var newest: Int32?
        var (id, isMeant): (Int32?, Bool) = (nil, false)
        var next = cups.ippGetFirstAttribute(answer)
        while let attribute = next {
            switch cups.ippGetName(attribute).map({ String(cString: $0) }) {
            case "job-id": id = ccups_integer(cups, attribute, 0)
            case "job-name": isMeant = strings(attribute).first == title
            // The separator between two jobs has no name.
            case nil: (id, isMeant) = (nil, false)
            default: break
            }
            if let id, isMeant { newest = max(newest ?? id, id) }
            next = cups.ippGetNextAttribute(answer)
        }
        return newest.map { PrintJob(id: $0, printer: printer, state: .pending, title: title) }
    }

    /// - Throws: ``PrinterError/jobNotFound(_:)``, ``PrinterError/rejected(printer:message:)``,
    ///   ``PrinterError/serverUnavailable(server:message:)``
    borrowing func status(of job: PrintJob) throws(PrinterError) -> PrintJob {
        let (answer, status) = try send(try request(IPP_OP_GET_JOB_ATTRIBUTES, uri: Self.uri(of: job)))
        defer { cups.ippDelete(answer) }
        guard status != IPP_STATUS_ERROR_NOT_FOUND else { throw .jobNotFound(job) }
        guard let state = integers(answer, "job-state", IPP_TAG_ENUM).first.flatMap(PrintJob.State.init) else {
            throw .rejected(printer: job.printer, message: lastError)
        }
        // The server may withhold the name.
        if let title = job.title, let name = strings(answer, "job-name", IPP_TAG_NAME).first, name != title {
            throw .jobNotFound(job)
        }
        // The printer's own reasons say why it does not print; the job's reasons come second.
        let reasons =
            strings(answer, "job-state-reasons", IPP_TAG_KEYWORD)
            + strings(answer, "job-printer-state-reasons", IPP_TAG_KEYWORD)
        var next = PrintJob(
            id: job.id, printer: job.printer, state: state, reasons: reasons.filter { $0 != "none" },
            message: strings(answer, "job-printer-state-message", IPP_TAG_TEXT).first { !$0.isEmpty },
            // Has no value until the server starts the job (RFC 8011 §5.3.14.2).
            hasStarted: cups.ippFindAttribute(answer, "time-at-processing", IPP_TAG_NOVALUE) == nil, title: job.title)
        if state == .completed {
            next.isConfirmed = try queues().first { $0.name == job.printer }?.confirms ?? false
        }
        return next
    }

    /// - Throws: ``PrinterError/jobNotFound(_:)``, ``PrinterError/rejected(printer:message:)``,
    ///   ``PrinterError/serverUnavailable(server:message:)``
    borrowing func cancel(_ job: PrintJob) throws(PrinterError) -> PrintJob {
        // Never cancel another user's job.
        if job.title != nil { _ = try status(of: job) }
        let (answer, status) = try send(try request(IPP_OP_CANCEL_JOB, uri: Self.uri(of: job)))
        defer { cups.ippDelete(answer) }
        switch status {
        case IPP_STATUS_ERROR_NOT_FOUND: throw .jobNotFound(job)
        // The server refuses when the job has already ended: return its state.
        case IPP_STATUS_ERROR_NOT_POSSIBLE, IPP_STATUS_OK: return try self.status(of: job)
        default: throw .rejected(printer: job.printer, message: lastError)
        }
    }

    private static func uri(of job: PrintJob) -> (name: String, value: String) {
        ("job-uri", "ipp://localhost/jobs/\(job.id)")
    }

    // MARK: Subscriptions (RFC 3995, RFC 3996)

    /// Asks the server to keep the events of a job.
    ///
    /// - Returns: Nil when the server does not support subscriptions, or not for this user.
    /// - Throws: ``PrinterError/serverUnavailable(server:message:)``
    borrowing func subscribe(to job: PrintJob) throws(PrinterError) -> PrintJobSubscription? {
        let request = try request(IPP_OP_CREATE_JOB_SUBSCRIPTIONS, uri: Self.serverURI)
        _ = cups.ippAddInteger(request, IPP_TAG_OPERATION, IPP_TAG_INTEGER, "notify-job-id", job.id)
        _ = cups.ippAddString(
            request, IPP_TAG_SUBSCRIPTION, IPP_TAG_KEYWORD, "notify-pull-method", nil, "ippget")
        for event in ["job-state-changed", "job-completed", "job-stopped", "job-progress"] {
            _ = cups.ippAddString(request, IPP_TAG_SUBSCRIPTION, IPP_TAG_KEYWORD, "notify-events", nil, event)
        }
        _ = cups.ippAddInteger(request, IPP_TAG_SUBSCRIPTION, IPP_TAG_INTEGER, "notify-job-id", job.id)
        let (answer, _) = try send(request)
        defer { cups.ippDelete(answer) }
        return integers(answer, "notify-subscription-id", IPP_TAG_INTEGER).first.map { PrintJobSubscription(id: $0) }
    }

    /// Returns what happened since the previous call.
    ///
    /// - Returns: The states that the job went through; nil when the server has ended the subscription.
    /// - Throws: ``PrinterError/serverUnavailable(server:message:)``
    borrowing func events(
        of subscription: inout PrintJobSubscription
    ) throws(PrinterError) -> [PrintJob.State]? {
        let request = try request(IPP_OP_GET_NOTIFICATIONS, uri: Self.serverURI)
        _ = cups.ippAddInteger(
            request, IPP_TAG_OPERATION, IPP_TAG_INTEGER, "notify-subscription-ids", subscription.id)
        _ = cups.ippAddInteger(
            request, IPP_TAG_OPERATION, IPP_TAG_INTEGER, "notify-sequence-numbers", subscription.nextEvent)
        let (answer, status) = try send(request)
        defer { cups.ippDelete(answer) }
        guard status == IPP_STATUS_OK || status == IPP_STATUS_OK_EVENTS_COMPLETE else { return nil }
        if let last = integers(answer, "notify-sequence-number", IPP_TAG_INTEGER).max(), last < .max {
            subscription.nextEvent = max(subscription.nextEvent, last + 1)
        }
        return integers(answer, "job-state", IPP_TAG_ENUM).compactMap(PrintJob.State.init)
    }

    private static var serverURI: (name: String, value: String) { ("printer-uri", "ipp://localhost/") }
}
