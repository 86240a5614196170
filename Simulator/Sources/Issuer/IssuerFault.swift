/// What goes wrong between the terminal and the simulated issuer.
public enum IssuerFault: Hashable, Sendable {
    /// Nothing can be sent.
    case notReachable
    /// The message is lost on its way: the issuer never sees it, the terminal cannot know.
    case requestLost
    /// The issuer processes the message, and its answer is lost.
    case answerLost
    /// The issuer processes the message, and its answer takes this long: too long, when it is longer than
    /// ``SimulatedIssuer/longestWait``.
    case answerDelayed(Duration)

    /// Whether the issuer never sees the message.
    var losesRequest: Bool { self == .notReachable || self == .requestLost }
}

/// When an ``IssuerFault`` happens.
public struct IssuerFaultRule: Hashable, Sendable {
    public var fault: IssuerFault
    public var messages: Set<IssuerMessageKind>
    /// How many messages are still struck; nil when all are.
    public var remaining: Int?

    public init(
        _ fault: IssuerFault, messages: Set<IssuerMessageKind> = Set(IssuerMessageKind.allCases), times: Int? = nil
    ) {
        (self.fault, self.messages, remaining) = (fault, messages, times)
    }
}
