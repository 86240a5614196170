public import Storage
public import Yosemite

/// Why a step of a simulated session has no result.
public enum SimulatedSessionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The plan cannot be carried out; in words.
    case plan(String)
    /// The session has no reader of this name.
    case noSuchReader(String, known: [String])
    /// The session has no card of this name.
    case noSuchCard(String, known: [String])
    /// The till found no such reader to connect.
    case readerNotFound(String)
    /// The process has died; ``SimulatedSession/restart()`` begins another one.
    case processDied
    /// The session is over: its records are gone.
    case over
    /// The records cannot be opened.
    case storage(StorageError)
    /// What the till answered.
    case payments(CardPresentPaymentsError)
    /// What the till answered about a receipt.
    case receipt(ReceiptStoreError)
    /// The till takes no such action now: the store has ended the shopkeeper's session. In words.
    case refused(String)
    /// The program is at fault: an action was not taken, or never answered.
    case fault(String)
    /// The step waits for something that will never come.
    case stuck(step: String)

    public var description: String {
        switch self {
        case .plan(let text): text
        case .noSuchReader(let name, let known):
            "the session has no reader '\(name)': it has \(known.joined(separator: ", "))"
        case .noSuchCard(let name, let known):
            "the session has no card '\(name)': it has \(known.joined(separator: ", "))"
        case .readerNotFound(let name): "the till finds no reader '\(name)': is it plugged in?"
        case .processDied: "the process has died: restart it"
        case .over: "the session is over: look at its records before its script ends"
        case .storage(let error): error.description
        case .payments(let error): error.description
        case .receipt(let error): error.description
        case .refused(let text), .fault(let text): text
        case .stuck(let step): "'\(step)' waits for something that never comes"
        }
    }
}
