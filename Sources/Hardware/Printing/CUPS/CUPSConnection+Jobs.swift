internal import CCUPS

extension CUPSConnection {
    /// The newest job with this title that the server keeps, waiting or ended.
    ///
    /// - Throws: ``PrinterError/serverUnavailable(server:message:)``
    borrowing func job(titled title: String, on printer: String) throws(PrinterError) -> PrintJob? {
        let request = try request(IPP_OP_GET_JOBS, uri: ("printer-uri", Self.uri(ofQueue: printer)))
        _ = cups.ippAddString(request, IPP_TAG_OPERATION, IPP_TAG_KEYWORD, "which-jobs", nil, "all")
        ccups_ask_for(cups, request, "job-id", "job-name")
        let (answer, _) = try send(request)
        defer { cups.ippDelete(answer) }
        var newest: Int32?
        var (id, isMeant): (Int32?, Bool) = (nil, false)
        var next = cups.ippGetFirstAttribute(answer)
        while let attribute = next {
            switch cups.ippGetName(attribute).map({ String(cString: $0) }) {
            case "job-id": id = ccups_integer(cups, attribute, 0)
            case "job-name": isMeant = strings(attribute).first == title
            // What stands between two jobs has no name.
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
        // A server may keep the name to itself.
        if let title = job.title, let name = strings(answer, "job-name", IPP_TAG_NAME).first, name != title {
            throw .jobNotFound(job)
        }
        // What keeps the printer from printing is among its own reasons, and only then among the job's.
        let reasons =
            strings(answer, "job-state-reasons", IPP_TAG_KEYWORD)
            + strings(answer, "job-printer-state-reasons", IPP_TAG_KEYWORD)
        var next = PrintJob(
            id: job.id, printer: job.printer, state: state, reasons: reasons.filter { $0 != "none" },
            message: strings(answer, "job-printer-state-message", IPP_TAG_TEXT).first { !$0.isEmpty },
            // Without a value as long as the server has not begun (RFC 8011 §5.3.14.2).
            hasStarted: cups.ippFindAttribute(answer, "time-at-processing", IPP_TAG_NOVALUE) == nil, title: job.title)
        if state == .completed {
            next.isConfirmed = try queues().first { $0.name == job.printer }?.confirms ?? false
        }
        return next
    }

    /// - Throws: ``PrinterError/jobNotFound(_:)``, ``PrinterError/rejected(printer:message:)``,
    ///   ``PrinterError/serverUnavailable(server:message:)``
    borrowing func cancel(_ job: PrintJob) throws(PrinterError) -> PrintJob {
        // Nobody else's is cancelled.
        if job.title != nil { _ = try status(of: job) }
        let (answer, status) = try send(try request(IPP_OP_CANCEL_JOB, uri: Self.uri(of: job)))
        defer { cups.ippDelete(answer) }
        switch status {
        case IPP_STATUS_ERROR_NOT_FOUND: throw .jobNotFound(job)
        // Refused where it has ended already: its state tells.
        case IPP_STATUS_ERROR_NOT_POSSIBLE, IPP_STATUS_OK: return try self.status(of: job)
        default: throw .rejected(printer: job.printer, message: lastError)
        }
    }

    private static func uri(of job: PrintJob) -> (name: String, value: String) {
        ("job-uri", "ipp://localhost/jobs/\(job.id)")
    }

    // MARK: Subscriptions (RFC 3995, RFC 3996)

    /// Has the server keep what happens to a job.
    ///
    /// - Returns: nil when the server keeps nothing, or not for this user.
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

    /// What happened since the subscription was asked last.
    ///
    /// - Returns: the states that the job went through; nil when the server has ended the subscription.
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
