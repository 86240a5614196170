import FoundationEssentials
import Networking

/// Measures how long `cardpresent simulate serve` takes to repeat a session from its seed, as the console does to go
/// back to an event.
struct RepetitionBenchmark {
    let program: String
    /// The number of payments of the session. A payment has about 45 events.
    var payments = 12
    var repetitions = 50

    private static let target = 100.0

    func run() async throws -> String {
        let server = try RunningServer(program, ["simulate", "serve", "--port", "0"], until: "\n  sessions")
        let address = try server.address(after: "Simulator at ")
        let network = try CurlNetwork()
        let plan = #"{"cards": ["visa-credit"], "readers": ["pinpad"]}"#
        let created = try await Self.ask(.post, address + "/v1/sessions", plan, network)
        guard let place = created.headers["Location"] else { throw BenchmarkError("a session was not created") }
        let session = address + place
        for _ in 0..<payments { _ = try await Self.ask(.post, session + "/payments", #"{"amount": "12.50"}"#, network) }
        let original = try await Self.state(Self.ask(.get, session, nil, network))
        var times = Samples()
        for _ in 0..<repetitions {
            var answer: HTTPResponse?
            let time = try await seconds { answer = try await Self.ask(.post, session + "/repeat", "{}", network) }
            times.add(time * 1000)
            guard let answer else { throw BenchmarkError("a session was not repeated") }
            let repeated = try Self.state(answer)
            guard repeated.eventHash == original.eventHash else { throw BenchmarkError("a repetition is different") }
            _ = try await Self.ask(.delete, address + "/v1/sessions/" + repeated.id, nil, network)
        }
        var table = MarkdownTable("a session", "events", "median, ms", "p99, ms", "target for p99")
        table.add(
            "repeated from its seed", String(original.events), times.median.text(1), times.percentile(99).text(1),
            verdict(times.percentile(99), atMost: Self.target))
        return """
            ### A repeated session

            From the request to the answer with the new session, which has the same hash of its events. Load \
            \(Machine.load).

            \(table.text)
            """
    }

    /// The parts of a session's state that are compared.
    private struct State: Decodable {
        let id: String
        let events: Int
        let eventHash: String
    }

    private static func state(_ response: HTTPResponse) throws -> State {
        try JSONDecoder().decode(State.self, from: Data(response.body))
    }

    private static func ask(
        _ method: HTTPMethod, _ address: String, _ body: String?, _ network: CurlNetwork
    ) async throws -> HTTPResponse {
        let response = try await network.response(
            for: HTTPRequest(
                method: method, address: try WebAddress(address),
                headers: body == nil ? [:] : ["Content-Type": "application/json"], body: body.map { Array($0.utf8) }))
        guard response.isSuccess else { throw BenchmarkError("the server answered \(response.status)") }
        return response
    }
}
