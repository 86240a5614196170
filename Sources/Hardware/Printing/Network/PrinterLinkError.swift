/// Why a connection to a network printer does not go on.
enum PrinterLinkError: Error, Hashable, Sendable {
    case unknownHost
    /// The printer accepted, took or said nothing in time.
    case timedOut
    /// The printer has closed its side.
    case closed
    /// What the system says.
    case broken(String)
    case cancelled

    /// For people.
    var words: String {
        switch self {
        case .unknownHost: "there is no such host"
        case .timedOut: "no answer in time"
        case .closed: "it closed the connection"
        case .broken(let text): text
        case .cancelled: "cancelled"
        }
    }
}
