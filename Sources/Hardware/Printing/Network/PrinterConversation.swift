/// A connection to a printer, and everything that the printer has said over it.
struct PrinterConversation: Sendable {
    let link: PrinterLink
    private(set) var received: [UInt8] = []

    init(_ link: PrinterLink) { self.link = link }

    /// How long a printer may take to answer what it answers at once. Some wake up first.
    private static let patience = Duration.seconds(2)
    /// In bytes. What goes on longer is no answer.
    private static let longestAnswer = 1024

    /// Reads what the printer says next.
    ///
    /// - Returns: false when it says nothing in time.
    /// - Throws: ``PrinterLinkError``, but not that the time was over.
    mutating func listen(within limit: Duration) async throws(PrinterLinkError) -> Bool {
        do throws(PrinterLinkError) {
            received += try await link.receive(within: limit)
            return true
        } catch {
            guard error == .timedOut else { throw error }
            return false
        }
    }

    /// Asks, and reads until there is an answer.
    ///
    /// - Parameters:
    ///   - question: the bytes to send.
    ///   - read: finds the answer in what was received since.
    /// - Returns: nil when the printer does not answer in time.
    /// - Throws: ``PrinterLinkError``
    mutating func answer<Answer>(
        to question: [UInt8], _ read: ([UInt8]) -> Answer?
    ) async throws(PrinterLinkError) -> Answer? {
        let start = received.count
        try await link.send(question, patience: Self.patience)
        while received.count - start < Self.longestAnswer, try await listen(within: Self.patience) {
            if let answer = read(Array(received[start...])) { return answer }
        }
        return nil
    }
}
