internal import CCUPS

/// A connection to the print server for the length of one operation.
struct CUPSConnection: ~Copyable {
    let cups: ccups_functions
    let http: OpaquePointer
    let server: String

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
        let server = cups.cupsGetServer().map { String(cString: $0) } ?? "localhost"
        guard let http = ccups_connect(cups, Self.connectTimeout) else {
            throw .serverUnavailable(server: server, message: Self.lastError(cups))
        }
        (self.cups, self.server, self.http) = (cups, server, http)
        // Without a callback that asks for more time, a server that says nothing ends the operation.
        cups.httpSetTimeout(http, Self.answerTimeout, nil, nil)
    }

    deinit { cups.httpClose(http) }

    var lastError: String { Self.lastError(cups) }

    private static func lastError(_ cups: ccups_functions) -> String {
        cups.cupsGetErrorString().map { String(cString: $0) } ?? "no reason given"
    }

    // MARK: Requests and answers

    /// - Throws: ``PrinterError/serverUnavailable(server:message:)`` when there is no memory for it.
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

    /// Sends a request, which is freed.
    ///
    /// - Returns: the answer, which the caller deletes, and its status.
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

    /// The first values of all attributes of this name: one of each group of the answer.
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
