import CMultiLoop
import Networking

/// Measures requests per second over kept connections on the loopback interface: `CurlNetwork`, and a plain loop in C
/// with the same library.
struct NetworkBenchmark {
    var rounds = 9
    var requests = 8000

    func run() async throws -> String {
        let port = http_server_start()
        guard port > 0 else { throw BenchmarkError("no server on the loopback interface") }
        let url = "http://127.0.0.1:\(port)/"
        let address = try WebAddress(url)
        let network = try CurlNetwork()
        var table = MarkdownTable(
            "requests at a time", "C loop, /s", "`CurlNetwork`, /s", "C loop / `CurlNetwork`", "target")
        for width in [1, 8] {
            var (bare, ours) = (Samples(), Samples())
            for _ in 0..<rounds {
                let count = Int32(requests)
                bare.add(
                    Double(requests)
                        / (try await seconds {
                            guard multi_loop_run(url, count, Int32(width)) == count else {
                                throw BenchmarkError("the C loop missed an answer")
                            }
                        }))
                ours.add(Double(requests) / (try await seconds { try await get(address, network, width: width) }))
            }
            let quotient = bare / ours
            table.add(
                String(width), bare.text(decimals: 0), ours.text(decimals: 0), quotient.text(decimals: 2),
                verdict(quotient.median, atMost: 1.3))
        }
        return "### Requests a second over kept connections\n\n" + table.text
    }

    private func get(_ address: WebAddress, _ network: CurlNetwork, width: Int) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<width {
                group.addTask {
                    for _ in 0..<requests / width {
                        let response = try await network.response(for: HTTPRequest(address: address))
                        guard response.status == 200 else { throw BenchmarkError("status \(response.status)") }
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}
