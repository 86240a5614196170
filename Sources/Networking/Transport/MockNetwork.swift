internal import Synchronization

/// A network without a wire, for tests: it answers with what it was given, and remembers what it was asked.
///
/// Answers are chosen by the end of the request's target: the path of its address, or the path inside when it goes
/// through the tunnel, without the query. The longest end that fits wins. Answers of one end are given in turn, and the
/// last one stays.
public final class MockNetwork: Network {
    private struct Script {
        var answers: [(suffix: String, queue: [Result<HTTPResponse, NetworkError>])] = []
        var requests: [HTTPRequest] = []
    }

    private let script = Mutex(Script())

    public init() {}

    /// Everything that was asked, in order.
    public var requests: [HTTPRequest] { script.withLock { $0.requests } }

    /// Answers requests whose target ends with `suffix`.
    public func simulate(_ suffix: String, _ answer: Result<HTTPResponse, NetworkError>) {
        script.withLock { script in
            if let index = script.answers.firstIndex(where: { $0.suffix == suffix }) {
                script.answers[index].queue.append(answer)
            } else {
                script.answers.append((suffix, [answer]))
            }
        }
    }

    /// Answers with a JSON text.
    public func simulate(_ suffix: String, json: String, status: Int = 200, headers: HTTPHeaders = [:]) {
        var headers = headers
        headers.add("Content-Type", "application/json; charset=UTF-8")
        simulate(suffix, .success(HTTPResponse(status: status, headers: headers, body: Array(json.utf8))))
    }

    public func simulate(_ suffix: String, error: NetworkError) { simulate(suffix, .failure(error)) }

    public func removeAllAnswers() { script.withLock { $0.answers = [] } }

    public func response(for request: HTTPRequest) async throws(NetworkError) -> HTTPResponse {
        guard !Task.isCancelled else { throw .cancelled(wasSent: false) }
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

    /// The path of the address, and those in `path` and `rest_route` of the query and the form.
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
