/// What offline data authentication came to.
public struct OfflineAuthenticationSummary: Hashable, Sendable {
    /// Whether the card was found genuine.
    public enum Result: String, Hashable, Sendable {
        /// No method in common; or CDA was chosen, and the card declined before it signed anything.
        case notPerformed
        case passed
        case failed
    }

    /// The method that card and terminal have in common.
    public let method: OfflineAuthenticationMethod
    public let result: Result
    /// Why it failed; nil when it did not.
    public let reason: OfflineAuthenticationError?

    private init(_ method: OfflineAuthenticationMethod, _ result: Result, _ reason: OfflineAuthenticationError? = nil) {
        (self.method, self.result, self.reason) = (method, result, reason)
    }

    static func notPerformed(_ method: OfflineAuthenticationMethod) -> Self { Self(method, .notPerformed) }

    static func passed(_ method: OfflineAuthenticationMethod) -> Self { Self(method, .passed) }

    static func failed(_ method: OfflineAuthenticationMethod, _ reason: OfflineAuthenticationError) -> Self {
        Self(method, .failed, reason)
    }
}
