/// Carries one request to a server and its answer back.
///
/// It knows neither stores nor credentials: it repeats nothing that may not be repeated, follows no redirection, and
/// hands over every status as it came.
public protocol Network: Sendable {
    /// Ends within the request's timeout, or with the task.
    ///
    /// - Throws: ``NetworkError``: everything that happens below HTTP, and `responseTooLarge`.
    func response(for request: HTTPRequest) async throws(NetworkError) -> HTTPResponse
}
