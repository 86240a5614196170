/// Whom the kernel asks when the card wants an online authorisation.
public protocol OnlineAuthorizer: Sendable {
    /// Sends the card's request (ARQC) to the issuer and waits for the answer.
    ///
    /// It does not throw: no answer is an answer, `.unableToGoOnline`, and the kernel goes on to the
    /// second GENERATE AC with it (EMV Book 3 §10.9).
    func authorize(_ request: consuming OnlineAuthorizationRequest) async -> OnlineAuthorizationResult
}
