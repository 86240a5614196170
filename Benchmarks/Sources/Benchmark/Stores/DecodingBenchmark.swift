import Foundation
import Networking

/// Measures the decoding of a list of orders, compared with Foundation's decoder and plain structs.
struct DecodingBenchmark {
    var rounds = 15
    var orders = 100

    func run() async throws -> String {
        let bytes = SampleOrders.list(orders)
        let data = Data(bytes)
        guard let entity = ResponseEntity.named("orders") else { throw BenchmarkError("no entity 'orders'") }
        var (document, ours, bare) = (Samples(), Samples(), Samples())
        let megabytes = Double(bytes.count) / 1e6
        for _ in 0..<rounds {
            document.add(megabytes / (try await seconds { _ = try JSONDocument(bytes) }))
            ours.add(
                megabytes
                    / (try await seconds {
                        let value = try entity.decode(bytes)
                        guard (value.value as? [Order])?.count == orders, value.rejected.isEmpty else {
                            throw BenchmarkError("orders were rejected: \(value.rejected)")
                        }
                    }))
            bare.add(
                megabytes
                    / (try await seconds {
                        guard try JSONDecoder().decode([PlainOrder].self, from: data).count == orders else {
                            throw BenchmarkError("orders are missing")
                        }
                    }))
        }
        let quotient = ours / bare
        var table = MarkdownTable("reader", "MB/s", "against `JSONDecoder`", "target")
        table.add("`JSONDecoder`, plain structs (baseline)", bare.text(decimals: 1), "1.00", "")
        table.add(
            "ours, into `Order`", ours.text(decimals: 1), quotient.text(decimals: 2),
            verdict(quotient.median, atLeast: 0.5))
        table.add("of that, `JSONDocument` alone", document.text(decimals: 1), (document / bare).text(decimals: 2), "")
        return "### Reading a list of \(orders) orders, \((megabytes * 1000).text(0)) kB\n\n" + table.text
    }
}
