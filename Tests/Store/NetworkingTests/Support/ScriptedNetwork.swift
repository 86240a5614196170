import Networking
import Synchronization

/// A network with a response closure.
final class ClosureNetwork: Network {
    private let log = Mutex<[HTTPRequest]>([])
    private let answer: @Sendable (HTTPRequest, Int) throws(NetworkError) -> HTTPResponse

    /// - Parameter answer: receives the request and the number of requests before it.
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

/// Issues the passwords `new-1`, `new-2` … after other tasks had a chance to run.
final class ScriptedIssuer: ApplicationPasswordIssuing {
    private let count = Mutex(0)

    var made: Int { count.withLock { $0 } }

    func makePassword() async throws(NetworkError) -> ApplicationPassword {
        for _ in 0..<100 { await Task.yield() }
        let number = count.withLock { count in
            count += 1
            return count
        }
        return ApplicationPassword(username: "user", password: Secret("new-\(number)"))
    }
}
