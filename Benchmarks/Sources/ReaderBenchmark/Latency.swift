/// Measures one command that reaches the card in one message.
struct Latency {
    /// GET DATA of the PIN try counter, with the correct length: a response of seven bytes and no second exchange.
    private static let command: [UInt8] = [0x80, 0xCA, 0x9F, 0x17, 0x04]

    /// The times in milliseconds, sorted.
    private var times: [Double] = []
    private var processor = 0.0

    init(_ line: some CardLine, count: Int) async throws {
        let first = try await line.transmit(Self.command)
        for _ in 0..<min(200, count) { _ = try await line.transmit(Self.command) }
        times.reserveCapacity(count)
        let clock = ContinuousClock()
        let before = try line.processorSeconds()
        for _ in 0..<count {
            let start = clock.now
            let answer = try await line.transmit(Self.command)
            times.append((clock.now - start) / .milliseconds(1))
            guard answer == first else { throw ReaderBenchmarkError("the card answered \(answer) after \(first)") }
        }
        processor = try line.processorSeconds() - before
        times.sort()
    }

    /// One line for each value: a word and milliseconds.
    var text: String {
        func quantile(_ part: Double) -> Double { times[min(times.count - 1, Int(Double(times.count) * part))] }
        return """
            p50 \(quantile(0.5))
            p90 \(quantile(0.9))
            p99 \(quantile(0.99))
            cpu \(1000 * processor / Double(times.count))
            """
    }
}
