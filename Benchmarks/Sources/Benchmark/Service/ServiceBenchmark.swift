import Networking
import Synchronization

/// Measures payments over HTTP with many sessions at `cardpresent simulate serve`. Each session has a till that takes a
/// payment, pauses, and takes the next one.
struct ServiceBenchmark {
    let program: String
    var sessions = 200
    /// The number of payments of each session.
    var payments = 10
    /// The pause between two payments of a till.
    var pause = Duration.seconds(2)

    private static let target = 50.0
    /// The cheapest request.
    private static let smallest = "/v1"

    func run() async throws -> String {
        let server = try RunningServer(
            program, ["simulate", "serve", "--port", "0", "--sessions-limit", String(sessions)], until: "\n  sessions")
        let address = try server.address(after: "Simulator at ")
        let network = try CurlNetwork()
        let places = try await eachSession { _ in
            try await Self.created(at: address, network)
        }
        let empty = Mutex(Samples())
        let taken = Mutex(Samples())
        let elapsed = try await seconds {
            _ = try await eachSession { number in
                // Sessions start at different times, like customers.
                try await Task.sleep(for: pause * number / sessions)
                for _ in 0..<payments {
                    // Alternates, so that a slow minute of the machine affects both.
                    let least = try await seconds { try await Self.get(address + Self.smallest, network) }
                    empty.withLock { $0.add(least * 1000) }
                    let time = try await seconds { try await Self.pay(at: places[number], network) }
                    taken.withLock { $0.add(time * 1000) }
                    try await Task.sleep(for: pause)
                }
            }
        }
        let (least, times) = (empty.withLock { $0 }, taken.withLock { $0 })
        var table = MarkdownTable(
            "\(sessions) sessions", "requests/s", "median, ms", "p99, ms", "p99 against the baseline's",
            "target for p99")
        let rate = Double(times.values.count) / elapsed
        table.add(
            "`GET \(Self.smallest)` (baseline)", rate.text(0), least.median.text(1), least.percentile(99).text(1),
            "1.0", "")
        table.add(
            "a payment", rate.text(0), times.median.text(1), times.percentile(99).text(1),
            (times.percentile(99) / least.percentile(99)).text(1), verdict(times.percentile(99), atMost: Self.target))
        return """
            ### A payment over HTTP

            From the request to the answer with the approved payment, everything in it: card, reader, issuer, journal. Load \
            \(Machine.load).

            \(table.text)
            """
    }

    /// Runs `body` for every session at the same time.
    private func eachSession<Value: Sendable>(
        _ body: @escaping @Sendable (Int) async throws -> Value
    ) async throws -> [Value] {
        try await withThrowingTaskGroup(of: (Int, Value).self) { group in
            for number in 0..<sessions { group.addTask { (number, try await body(number)) } }
            return try await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }

    /// - Returns: the path of the session's payments.
    private static func created(at address: String, _ network: CurlNetwork) async throws -> String {
        let response = try await post(address + "/v1/sessions", #"{"cards": ["visa-credit"]}"#, network)
        guard let place = response.headers["Location"] else { throw BenchmarkError("a session was not created") }
        return address + place + "/payments"
    }

    private static func pay(at place: String, _ network: CurlNetwork) async throws {
        let response = try await post(place, #"{"amount": "12.50"}"#, network)
        guard String(decoding: response.body, as: UTF8.self).contains(#""outcome":"approved""#) else {
            throw BenchmarkError("a payment was not approved")
        }
    }

    private static func get(_ place: String, _ network: CurlNetwork) async throws {
        let response = try await network.response(
            for: HTTPRequest(address: try WebAddress(place)))
        guard response.isSuccess else { throw BenchmarkError("the server answered \(response.status)") }
    }

    private static func post(_ place: String, _ body: String, _ network: CurlNetwork) async throws -> HTTPResponse {
        let response = try await network.response(
            for: HTTPRequest(
                method: .post, address: try WebAddress(place), headers: ["Content-Type": "application/json"],
                body: Array(body.utf8)))
        guard response.isSuccess else { throw BenchmarkError("the server answered \(response.status)") }
        return response
    }
}
