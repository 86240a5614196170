/// Sends requests in somebody's name and tells errors from answers: what remotes ask.
public protocol RequestSending: Sendable {
    /// - Throws: ``NetworkError``
    func send(_ request: any Request) async throws(NetworkError) -> Response
}
