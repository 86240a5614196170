import Networking

/// A network that does something when it is asked, and answers with what that returns.
struct HookedNetwork: Network {
    private let answer: @Sendable (HTTPRequest) async throws(NetworkError) -> HTTPResponse

    init(_ answer: @escaping @Sendable (HTTPRequest) async throws(NetworkError) -> HTTPResponse) {
        self.answer = answer
    }

    func response(for request: HTTPRequest) async throws(NetworkError) -> HTTPResponse { try await answer(request) }
}

extension HTTPResponse {
    static func json(_ text: String) -> HTTPResponse {
        HTTPResponse(status: 200, headers: ["Content-Type": "application/json"], body: Array(text.utf8))
    }
}
