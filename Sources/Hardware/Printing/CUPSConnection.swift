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

    var lastError: String { Self.lastError(cups) }

    borrowing func strings(_ answer: OpaquePointer, _ name: String, _ tag: ipp_tag_t) -> [String] {
        cups.ippFindAttribute(answer, name, tag).map { strings($0) } ?? []
    }

    borrowing func strings(_ attribute: OpaquePointer) -> [String] {
        let cups = cups
        return (0..<cups.ippGetCount(attribute)).compactMap { index in
            cups.ippGetString(attribute, index, nil).map { String(cString: $0) }
        }
    }

    private static func lastError(_ cups: ccups_functions) -> String {
        cups.cupsLastErrorString().map { String(cString: $0) } ?? "no reason given"
    }
}
