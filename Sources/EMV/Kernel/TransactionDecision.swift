/// How a transaction ended.
public enum TransactionDecision: Hashable, Sendable {
    /// Issuer and card approved.
    case approvedOnline
    /// The card approved without the issuer.
    case approvedOffline
    /// The issuer declined.
    case declinedOnline
    /// The card declined what terminal or issuer would have approved.
    case declinedByCard
    /// The terminal declined: by its own rules, or because the issuer could not be asked.
    case declinedOffline
    /// The issuer wants to be telephoned (01, 02). The card was told that the payment is declined.
    case referred
    /// Stopped before the issuer was asked, or without an answer of the issuer.
    case cancelled(CancellationOrigin)
    /// The chip has nothing for this terminal: the payment may go on with the magnetic stripe or another card.
    case tryAnotherInterface(KernelError)
    /// The transaction could not be finished.
    case terminated(KernelError)

    /// Whether the payment was made.
    public var isApproved: Bool { self == .approvedOnline || self == .approvedOffline }
}

/// Who stopped a transaction.
public enum CancellationOrigin: Hashable, Sendable {
    /// By choice of application or at the PIN pad.
    case cardholder
    /// The program, by cancelling the task.
    case caller
}
