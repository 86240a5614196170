internal import CCUPS

extension CUPSConnection {
    borrowing func status(of job: PrintJob) throws(PrinterError) -> PrintJob {
        let request = try jobRequest(IPP_OP_GET_JOB_ATTRIBUTES, job)
        guard let answer = cups.cupsDoRequest(http, request, "/") else {
            throw .serverUnavailable(server: server, message: lastError)
        }
        defer { cups.ippDelete(answer) }
        guard let attribute = cups.ippFindAttribute(answer, "job-state", IPP_TAG_ENUM),
            let state = PrintJob.State(number: cups.ippGetInteger(attribute, 0))
        else {
            guard cups.ippGetStatusCode(answer) != IPP_STATUS_ERROR_NOT_FOUND else { throw .jobNotFound(job) }
            throw .rejected(printer: job.printer, message: lastError)
        }
        var next = PrintJob(
            id: job.id, printer: job.printer, state: state,
            reasons: strings(answer, "job-state-reasons", IPP_TAG_KEYWORD),
            message: strings(answer, "job-printer-state-message", IPP_TAG_TEXT).first { !$0.isEmpty },
            // Without a value as long as the server has not begun (RFC 8011 §5.3.14.2).
            hasStarted: cups.ippFindAttribute(answer, "time-at-processing", IPP_TAG_NOVALUE) == nil)
        if state == .completed {
            next.isConfirmed = try queues().first { $0.name == job.printer }?.confirms ?? false
        }
        return next
    }

    borrowing func cancel(_ job: PrintJob) throws(PrinterError) -> PrintJob {
        let request = try jobRequest(IPP_OP_CANCEL_JOB, job)
        guard let answer = cups.cupsDoRequest(http, request, "/") else {
            throw .serverUnavailable(server: server, message: lastError)
        }
        defer { cups.ippDelete(answer) }
        switch cups.ippGetStatusCode(answer) {
        case IPP_STATUS_ERROR_NOT_FOUND: throw .jobNotFound(job)
        // Refused where it has ended already: its state tells.
        case IPP_STATUS_ERROR_NOT_POSSIBLE, IPP_STATUS_OK: return try status(of: job)
        default: throw .rejected(printer: job.printer, message: lastError)
        }
    }

    private borrowing func jobRequest(_ operation: ipp_op_t, _ job: PrintJob) throws(PrinterError) -> OpaquePointer {
        guard let request = cups.ippNewRequest(operation) else {
            throw .serverUnavailable(server: server, message: lastError)
        }
        _ = cups.ippAddString(
            request, IPP_TAG_OPERATION, IPP_TAG_URI, "job-uri", nil, "ipp://localhost/jobs/\(job.id)")
        _ = cups.ippAddString(
            request, IPP_TAG_OPERATION, IPP_TAG_NAME, "requesting-user-name", nil, cups.cupsUser())
        return request
    }
}
