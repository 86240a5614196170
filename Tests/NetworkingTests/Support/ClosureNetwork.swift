import Networking
import Synchronization

/// A network that a test writes in place.
final class ClosureNetwork: Network {
    private let log = Mutex<[HTTPRequest]>([])
    private let answer: @Sendable (HTTPRequest, Int) throws(NetworkError) -> HTTPResponse

    /// - Parameter answer: gets the request, and how many came before it.
    init(_ answer: @escaping @Sendable (HTTPRequest, Int) throws(NetworkError) -> HTTPResponse) { self.answer = answer }

    var requests: [HTTPRequest] { log.withLock { $0 } }

    func response(for request: HTTPRequest) async throws(NetworkError) -> HTTPResponse {
        let number = log.withLock { log in
            log.append(request)
            return log.count - 1
        }
        return try answer(request, number)
    }
}

extension HTTPResponse {
    static func json(_ text: String, status: Int = 200, headers: HTTPHeaders = [:]) -> HTTPResponse {
        var headers = headers
        headers.add("Content-Type", "application/json; charset=UTF-8")
        return HTTPResponse(status: status, headers: headers, body: Array(text.utf8))
    }
}
