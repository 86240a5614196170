/// A document that came to the printer of a simulated session.
public struct SessionPrintout: Hashable, Sendable, Codable {
    /// The print server's number.
    public var job: Int32
    /// What the job is called in the queue.
    public var title: String
    /// IPP's `job-state` as a word.
    public var state: String
    /// IPP's `job-state-reasons`.
    public var reasons: [String]
    /// What is on the paper.
    public var lines: [String]

    /// A document, as it was printed.
    public init(job: Int32, title: String, state: String, reasons: [String], lines: [String]) {
        (self.job, self.title, self.state, self.reasons, self.lines) = (job, title, state, reasons, lines)
    }
}
