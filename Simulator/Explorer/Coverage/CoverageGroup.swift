/// What kinds of states an exploration counts.
public enum CoverageGroup: String, Hashable, Sendable, Codable, CaseIterable {
    /// Something was made to happen, and where: `crash at journal authorizing`.
    case faultAtPlace
    /// An attempt went from one state to another one.
    case journalStep
    /// What the store had to be told went from one state to another one.
    case captureStep
    /// A step of the session, and how it ended.
    case outcome
    /// Why a step or a payment failed.
    case error
    /// A phase of the kernel.
    case kernel
    /// A command to a card, and its status.
    case exchange
    /// A message to the issuer, and what became of it.
    case issuer
    /// A request to the store, and its status.
    case store
    /// What the reader told, and what was done to get it back.
    case reader
    /// What became of a print.
    case print
}
