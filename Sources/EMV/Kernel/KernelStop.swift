internal import SmartCard

/// Why a phase of the kernel cannot go on.
enum KernelStop: Error {
    case failed(KernelError)
    case cancelled(CancellationOrigin)
    /// The card does not want the selected application in this transaction (6985 to GET PROCESSING OPTIONS).
    case applicationRefused

    init(_ error: CardChannelError) { self = error == .cancelled ? .cancelled(.caller) : .failed(.channel(error)) }

    /// The person at the terminal ended it; or the caller did, and the terminal stopped asking.
    static var stoppedAtTerminal: KernelStop { .cancelled(Task.isCancelled ? .caller : .cardholder) }

    /// How a transaction ends that stopped so.
    var decision: TransactionDecision {
        switch self {
        case .failed(.noApplication): .tryAnotherInterface(.noApplication)
        case .failed(let error): .terminated(error)
        case .cancelled(let origin): .cancelled(origin)
        case .applicationRefused: .terminated(.status(.getProcessingOptions, .conditionsNotSatisfied))
        }
    }
}
