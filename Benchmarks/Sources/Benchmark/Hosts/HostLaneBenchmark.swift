import Determinism
import Storage

/// Measures the sales a second of one lane over TLS on the loopback interface, at the simulated acquirer in another
/// process, and what the link to the host adds to an exchange.
///
/// After each sale the same number of bytes goes to an echo in C over TCP and over TLS, and the same sale, ready as
/// bytes, goes from a client in C to the same acquirer.
struct HostLaneBenchmark {
    /// The milliseconds of exchanges that were measured alternately.
    private struct Exchanges {
        var (echo, secureEcho, bare, link) = (Samples(), Samples(), Samples(), Samples())
    }

    private struct Result {
        /// The sales a second, one value per round.
        var rates = Samples()
        /// The milliseconds of each sale.
        var sales = Samples()
        var exchanges = Exchanges()
    }

    let program: String
    let folder: TemporaryFolder
    let certificates: HostCertificates
    var rounds = 5
    /// The sales of a round without anything between them, and those with the other exchanges between them.
    var sales = 400

    func run() async throws -> String {
        let kept = try await measure(isDurable: false)
        let flushed = try await measure(isDurable: true)
        var lane = MarkdownTable("journal and ledger", "sales/s", "a sale, p50, ms", "p99, ms", "target")
        for (name, result) in [("in memory", kept), ("in files, flushed", flushed)] {
            lane.add(
                name, result.rates.text(decimals: 0), result.sales.percentile(50).text(2),
                result.sales.percentile(99).text(2), verdict(result.rates.median, atLeast: 400))
        }
        return """
            ### One lane at a payment host over TLS

            \(lane.text)
            ### An exchange of a sale, journal and ledger in memory

            \(Self.table(kept.exchanges))
            ### An exchange of a sale, journal and ledger in files, flushed

            \(Self.table(flushed.exchanges))
            """
    }

    private static func table(_ exchanges: Exchanges) -> String {
        var table = MarkdownTable("what", "p50, ms", "p99, ms", "target for p99")
        func add(_ name: String, _ samples: Samples, target: Double? = nil) {
            let last = samples.percentile(99)
            table.add(
                name, samples.percentile(50).text(3), last.text(3), target.map { verdict(last, atMost: $0) } ?? "")
        }
        add("echo over TCP (baseline)", exchanges.echo)
        add("echo over TLS (baseline)", exchanges.secureEcho)
        add("bare client, at the acquirer (baseline)", exchanges.bare)
        add("`AcquirerHost`, at the acquirer", exchanges.link)
        add("more than the echo over TCP", exchanges.link - exchanges.echo)
        add("more than the echo over TLS", exchanges.link - exchanges.secureEcho)
        add("more than the bare client", exchanges.link - exchanges.bare, target: 1)
        return table.text
    }

    private func measure(isDurable: Bool) async throws -> Result {
        let messages = try ChipSales()
        let echo = try RunningEcho(certificates)
        let acquirer = try RunningAcquirer(
            program: program, ledger: isDurable ? folder.path + "/lane-ledger.sqlite" : nil, certificates: certificates)
        // Their processes end with them.
        defer { withExtendedLifetime((echo, acquirer)) {} }
        let (plain, secure) = (
            try BareClient(port: echo.plain), try BareClient(port: echo.secure, certificates: certificates)
        )
        let bare = try BareClient(port: acquirer.port, certificates: certificates)
        let lane = try HostLane(
            at: acquirer.address, certificates: certificates, journal: try journal(isDurable: isDurable),
            sales: messages)
        try await lane.connect()
        var (result, number) = (Result(), 0)
        func next() -> Int {
            number += 1
            return number
        }
        for _ in 0..<50 { _ = try await lane.sell(next()) }
        for _ in 0..<rounds {
            var times = Samples()
            for _ in 0..<sales { times.add(try await lane.sell(next()).sale) }
            result.rates.add(Double(sales) * 1000 / times.values.reduce(0, +))
            for time in times.values { result.sales.add(time) }
            for _ in 0..<sales {
                let number = next()
                // The bare client is another terminal, with trace numbers of its own. Its sale has another cryptogram.
                let frame = try messages.frame(number + 1_000_000, terminal: "TERM0002", trace: number)
                result.exchanges.link.add(try await lane.sell(number).exchange)
                result.exchanges.echo.add(try plain.exchange(frame).milliseconds)
                result.exchanges.secureEcho.add(try secure.exchange(frame).milliseconds)
                let (milliseconds, answer) = try bare.exchange(frame)
                try messages.checkApproval(answer)
                result.exchanges.bare.add(milliseconds)
            }
        }
        await lane.close()
        return result
    }

    private func journal(isDurable: Bool) throws -> PaymentJournal {
        let storage =
            if isDurable {
                try SQLiteStorageManager(path: folder.path + "/lane", durability: .full)
            } else {
                try SQLiteStorageManager(inMemoryWith: SeededRandomSource(seed: 1))
            }
        return PaymentJournal(storage: storage, lease: try ProcessLease(in: storage))
    }
}
