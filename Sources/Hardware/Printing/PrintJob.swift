/// A job in a print queue, and how far it has come.
public struct PrintJob: Hashable, Sendable, Codable {
    /// The `job-state` of RFC 8011 §5.3.7.
    public enum State: String, Hashable, Sendable, Codable, CaseIterable {
        case pending
        case held
        case processing
        case stopped
        case canceled
        case aborted
        /// The queue has handed everything to the printer. Whether that means paper, ``PrintJob/isConfirmed`` says.
        case completed

        /// - Parameter number: the enumeration's value in RFC 8011, 3...9.
        public init?(number: Int32) {
            let all: [Int32: State] = [
                3: .pending, 4: .held, 5: .processing, 6: .stopped, 7: .canceled, 8: .aborted, 9: .completed,
            ]
            guard let state = all[number] else { return nil }
            self = state
        }

        /// Whether the job will not change any more.
        public var isFinal: Bool { self == .canceled || self == .aborted || self == .completed }
    }

    /// The number that the server gave the job; 0 where there is no server, because the printer was sent the bytes.
    public var id: Int32
    /// The printer's name.
    public var printer: String
    public var state: State
    /// `job-state-reasons`, in the server's keywords.
    public var reasons: [String]
    /// What the printer itself says, for people.
    public var message: String?
    /// Whether the printer itself said that it is done. A completed job that is not confirmed left over a one-way link:
    /// its bytes were taken, and nobody knows of paper.
    public var isConfirmed: Bool
    /// Whether the printer may have got something of it. False only while the server says that it never began with the
    /// job, and nothing of one that ended so is on paper.
    public var hasStarted: Bool
    /// What its server must call it, because a server that lost what it knew gives its numbers again; nil where the
    /// number is enough.
    public var title: String?

    public init(
        id: Int32, printer: String, state: State, reasons: [String] = [], message: String? = nil,
        isConfirmed: Bool = false, hasStarted: Bool = true, title: String? = nil
    ) {
        (self.id, self.printer, self.state) = (id, printer, state)
        (self.reasons, self.message) = (reasons, message)
        (self.isConfirmed, self.hasStarted, self.title) = (isConfirmed, hasStarted, title)
    }

    /// Whether nothing more will be heard of it: it ended, or no server follows it.
    public var isSettled: Bool { state.isFinal || id == 0 }
}
