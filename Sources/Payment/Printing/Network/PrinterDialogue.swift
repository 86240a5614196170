/// The status queries of a family of receipt printers.
protocol PrinterDialogue: Sendable {
    /// Queries the status; nil when the printer does not answer.
    func condition(_ conversation: inout PrinterConversation) async throws(PrinterLinkError) -> PrinterCondition?

    /// Queries the model name; nil when the printer does not report one.
    func model(_ conversation: inout PrinterConversation) async throws(PrinterLinkError) -> String?

    /// Returns what to send after a document so that the printer reports its end; nil when the printer cannot report
    /// it.
    func mark(_ conversation: inout PrinterConversation) async throws(PrinterLinkError) -> PrinterMark?
}

extension PrinterFamily {
    var dialogue: any PrinterDialogue {
        switch self {
        case .epson: EpsonDialogue()
        case .star: StarDialogue()
        }
    }
}

/// A connection to a printer, and everything received over it.
struct PrinterConversation: Sendable {
    let link: PrinterLink
    private(set) var received: [UInt8] = []

    init(_ link: PrinterLink) { self.link = link }

    /// How long a printer may take for an immediate answer. Some printers have to wake up first.
    private static let timeout = Duration.seconds(2)
    /// In bytes. Anything longer is not a valid answer.
    private static let longestAnswer = 1024

    /// Reads the printer's next bytes.
    ///
    /// - Returns: False when nothing arrives in time.
    /// - Throws: ``PrinterLinkError``, except for a timeout.
    mutating func listen(within limit: Duration) async throws(PrinterLinkError) -> Bool {
        do throws(PrinterLinkError) {
            received += try await link.receive(within: limit)
            return true
        } catch {
            guard error == .timedOut else { throw error }
            return false
        }
    }

    /// Sends a query, and reads until its answer is complete.
    ///
    /// - Parameters:
    ///   - question: The bytes to send.
    ///   - read: Finds the answer in the bytes received since.
    /// - Returns: Nil when the printer does not answer in time.
    /// - Throws: ``PrinterLinkError``
    mutating func answer<Answer>(
        to question: [UInt8], _ read: ([UInt8]) -> Answer?
    ) async throws(PrinterLinkError) -> Answer? {
        let start = received.count
        try await link.send(question, timeout: Self.timeout)
        while received.count - start < Self.longestAnswer, try await listen(within: Self.timeout) {
            if let answer = read(Array(received[start...])) { return answer }
        }
        return nil
    }
}

/// Bytes after a document that make a printer report when it has printed everything before them.
struct PrinterMark: Sendable {
    let bytes: [UInt8]
    /// The query to repeat while waiting for the report; nil when the printer reports by itself.
    let question: [UInt8]?
    /// Whether the received bytes contain the report.
    let isAnswered: @Sendable ([UInt8]) -> Bool

    init(bytes: [UInt8], question: [UInt8]? = nil, _ isAnswered: @escaping @Sendable ([UInt8]) -> Bool) {
        (self.bytes, self.question, self.isAnswered) = (bytes, question, isAnswered)
    }
}

/// The condition that a printer reports.
struct PrinterCondition: Hashable, Sendable {
    /// ``PrinterReason``s, the worst first.
    var reasons: [String]

    /// Whether the printer is ready to print.
    var isReady: Bool { !reasons.contains { PrinterReason($0).severity == .error } }
}
