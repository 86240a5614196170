public import EMV

/// How a replay went.
public struct CardReplayReport: Hashable, Sendable {
    /// What the kernel was asked to do, read out of the trace.
    public let request: TransactionRequest
    public let outcome: KernelOutcome
    /// Where the kernel and the recorded terminal part, in the order of the replay.
    public let differences: [ReplayDifference]

    /// Whether card and issuer could not have told the two terminals apart.
    public var agrees: Bool { !differences.contains(where: \.matters) }
}

/// Why a trace cannot be replayed.
public enum CardReplayError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What the recorded terminal told the card makes no terminal.
    case terminal(TerminalConfigurationError)
    /// Neither trace nor caller say what was paid.
    case noAmount

    public var description: String {
        switch self {
        case .terminal(let error): "the recorded terminal cannot be rebuilt: \(error)"
        case .noAmount: "the trace does not say the amount: give one"
        }
    }
}
