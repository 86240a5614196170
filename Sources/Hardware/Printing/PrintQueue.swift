/// A print queue as the server shows it.
public struct PrintQueue: Hashable, Sendable, Codable {
    /// The `printer-state` of RFC 8011 §5.4.11.
    public enum State: String, Hashable, Sendable, Codable, CaseIterable {
        case idle
        case processing
        case stopped

        /// - Parameter number: the enumeration's value in RFC 8011, 3...5.
        public init?(number: Int) {
            switch number {
            case 3: self = .idle
            case 4: self = .processing
            case 5: self = .stopped
            default: return nil
            }
        }
    }

    public var name: String
    /// Whether it takes the jobs for which no queue is named.
    public var isDefault: Bool
    public var state: State
    public var isAcceptingJobs: Bool
    /// `printer-state-reasons`, in the server's keywords.
    public var reasons: [String]
    /// What the printer or the server says, for people.
    public var message: String?

    public init(
        name: String, isDefault: Bool, state: State, isAcceptingJobs: Bool, reasons: [String] = [],
        message: String? = nil
    ) {
        (self.name, self.isDefault, self.state) = (name, isDefault, state)
        (self.isAcceptingJobs, self.reasons, self.message) = (isAcceptingJobs, reasons, message)
    }
}
