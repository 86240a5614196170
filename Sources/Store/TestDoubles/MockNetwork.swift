public import Networking
import Synchronization
import Text

/// A network for tests: it returns prepared answers and records the requests.
///
/// It chooses an answer by the end of the request's target: the path of the address, or the path inside a request
/// through the WordPress.com tunnel, without the query. The longest matching end wins. Answers for the same end are
/// used in the order in which they were added; the last one repeats.
public final class MockNetwork: Network {
    private struct Script {
        var answers: [(suffix: String, queue: [Result<HTTPResponse, NetworkError>])] = []
        var requests: [HTTPRequest] = []
    }

    private let script = Mutex(Script())

    /// Creates a network without answers: it answers every request with status 404 until a test adds one.
    public init() {}

    /// The requests so far, in order.
    public var requests: [HTTPRequest] { script.withLock { $0.requests } }

    /// Adds an answer for requests whose target ends with `suffix`.
    public func simulate(_ suffix: String, _ answer: Result<HTTPResponse, NetworkError>) {
        script.withLock { script in
            if let index = script.answers.firstIndex(where: { $0.suffix == suffix }) {
                script.answers[index].queue.append(answer)
            } else {
                script.answers.append((suffix, [answer]))
            }
        }
    }

    /// Adds a JSON answer for requests whose target ends with `suffix`.
    public func simulate(_ suffix: String, json: String, status: Int = 200, headers: HTTPHeaders = [:]) {
        var headers = headers
        headers.add("Content-Type", "application/json; charset=UTF-8")
        simulate(suffix, .success(HTTPResponse(status: status, headers: headers, body: Array(json.utf8))))
    }

    /// Adds a failure for requests whose target ends with `suffix`.
    public func simulate(_ suffix: String, error: NetworkError) { simulate(suffix, .failure(error)) }

    /// Removes every prepared answer.
    public func removeAllAnswers() { script.withLock { $0.answers = [] } }

    public func response(for request: HTTPRequest) async throws(NetworkError) -> HTTPResponse {
        guard !Task.isCancelled else { throw .canceled(wasSent: false) }
        let answer: Result<HTTPResponse, NetworkError>? = script.withLock { script in
            script.requests.append(request)
            let targets = Self.targets(of: request)
            let fitting = script.answers.indices.filter { index in
                targets.contains { $0.hasSuffix(script.answers[index].suffix) }
            }
            let longest = fitting.max { script.answers[$0].suffix.utf8.count < script.answers[$1].suffix.utf8.count }
            guard let longest else { return nil }
            return script.answers[longest].queue.count > 1
                ? script.answers[longest].queue.removeFirst() : script.answers[longest].queue.first
        }
        guard let answer else {
            let body = #"{"code":"rest_no_route","message":"No answer was prepared for this request."}"#
            return HTTPResponse(
                status: 404, headers: ["Content-Type": "application/json"], body: Array(body.utf8))
        }
        return try answer.get()
    }

    /// Returns the path of the address, and the paths in the fields `path` and `rest_route` of query and form.
    private static func targets(of request: HTTPRequest) -> [String] {
        let form = request.body.map { String(decoding: $0, as: UTF8.self) }
        let fields = [request.address.query, form].compactMap { $0 }.flatMap { $0.split(separator: "&") }
        let inner = fields.compactMap { field -> String? in
            guard let name = ["path=", "rest_route="].first(where: field.hasPrefix) else { return nil }
            return String(PercentEncoding.decode(field.dropFirst(name.utf8.count)).prefix { $0 != "&" && $0 != "?" })
        }
        return [request.address.path] + inner
    }
}
