/// What became of the payments that store sites had still to be told of.
public struct CaptureReport: Hashable, Sendable {
    /// Payments that their orders show now.
    public var confirmed: [Payment] = []
    /// Payments whose sites could not be told: they will be told again.
    public var open: [Payment] = []
    /// Payments that their sites refuse, or that are in conflict with what the order says: somebody has to decide.
    public var refused: [Payment] = []
    /// Payments whose records could not be read or written.
    public var failed: [RecoveryReport.Failure] = []

    public init() {}

    mutating func add(_ payment: Payment) {
        switch payment.capture?.state {
        case .confirmed: confirmed.append(payment)
        case .refused, .conflict: refused.append(payment)
        case .due, .sent, .unknown: open.append(payment)
        case nil: break
        }
    }
}
