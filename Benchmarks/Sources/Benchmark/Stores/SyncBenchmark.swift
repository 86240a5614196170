import Foundation
import Networking

/// Measures `cardpresent orders sync` with 10,000 orders from a store in another process and an empty database.
struct SyncBenchmark {
    let program: String
    let folder: TemporaryFolder
    var rounds = 3
    var orders = 10_000

    func run() async throws -> String {
        let store = try RunningStore(program: program, folder: folder.path, orders: orders)
        var (fetched, pages, synced, memory) = (Samples(), Samples(), Samples(), Samples())
        for round in 0..<rounds {
            fetched.add(try await fetch(store))
            pages.add(try await decode(store))
            let place = ["--database", "\(folder.path)/sync\(round).sqlite"]
            _ = try await ChildProcess(
                program,
                ["login", store.address, "--username", "shopkeeper", "--password-file", store.passwordFile] + place)
            let run = try await ChildProcess(program, ["orders", "sync"] + place)
            synced.add(run.milliseconds / 1000)
            memory.add(run.peakMemory)
        }
        var table = MarkdownTable(
            "\(orders) orders over the loopback interface", "seconds", "peak memory, MB", "target")
        table.add("fetching the pages alone (baseline)", fetched.text(decimals: 2), "", "")
        table.add("fetching and a bare `JSONDecoder` (baseline)", pages.text(decimals: 2), "", "")
        table.add(
            "`cardpresent orders sync`", synced.text(decimals: 2), memory.text(decimals: 1),
            verdict(synced.median, atMost: 3) + ", " + verdict(memory.median, atMost: 120) + " MB")
        return "### Orders from a store into the database\n\n" + table.text
    }

    /// Fetches the pages one after the other and discards them.
    private func fetch(_ store: RunningStore) async throws -> Double {
        try await seconds { try await forEachPage(store) { _ in } }
    }

    private func decode(_ store: RunningStore) async throws -> Double {
        try await seconds {
            try await forEachPage(store) { _ = try JSONDecoder().decode([PlainOrder].self, from: Data($0)) }
        }
    }

    private func forEachPage(_ store: RunningStore, _ body: ([UInt8]) throws -> Void) async throws {
        let network = try CurlNetwork()
        let password = try String(contentsOfFile: store.passwordFile, encoding: .utf8)
            .trimmingCharacters(in: .whitespacesAndNewlines)
        let authorization = "Basic " + Data("shopkeeper:\(password)".utf8).base64EncodedString()
        for page in 1...(orders / 100) {
            let address = try WebAddress(
                "\(store.address)/wp-json/wc/v3/orders?per_page=100&page=\(page)&orderby=date&dates_are_gmt=true")
            let response = try await network.response(
                for: HTTPRequest(address: address, authorization: Secret(authorization)))
            guard response.isSuccess else { throw BenchmarkError("status \(response.status) for page \(page)") }
            try body(response.body)
        }
    }
}
