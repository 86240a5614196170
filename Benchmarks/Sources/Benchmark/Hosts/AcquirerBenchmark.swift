import GRDBSQLite
import Text

/// Measures how many sales a second the simulated acquirer answers, and how much memory connections take.
///
/// The load is made in C from frames that are ready, several under way on each connection, over TCP. Every sale has a
/// genuine cryptogram, is approved, and is in the ledger when it is answered. The baseline is an echo in C with the
/// same frames.
struct AcquirerBenchmark {
    /// A server under load.
    private final class Target {
        let name: String
        let load: BareLoad
        /// The processor time of the process so far.
        let processorSeconds: () throws -> Double
        /// The ledger file; nil without one.
        let ledger: String?
        /// Whether its answers are those of an acquirer.
        let isAcquirer: Bool
        /// Per second, and per second of work on one core.
        var (rates, worked) = (Samples(), Samples())

        init(
            _ name: String, _ load: BareLoad, ledger: String? = nil, isAcquirer: Bool = true,
            processorSeconds: @escaping () throws -> Double
        ) {
            (self.name, self.load, self.ledger, self.isAcquirer) = (name, load, ledger, isAcquirer)
            self.processorSeconds = processorSeconds
        }
    }

    let program: String
    let folder: TemporaryFolder
    let certificates: HostCertificates
    var rounds = 5
    var connections = 64
    /// The sales that are under way on a connection.
    var window = 4
    /// The sales of a connection in each round.
    var salesOfConnection = 150
    /// The connections whose memory is measured.
    var kept = 200

    func run() async throws -> String {
        """
        ### The simulated acquirer: \(connections) connections, \(window) sales under way on each

        \(try rates())
        ### The simulated acquirer: memory of \(kept) connections

        \(try memory())
        """
    }

    // MARK: Rates

    private func rates() throws -> String {
        let (sales, targets) = (try ChipSales(), try targets())
        var number = 0
        for round in 0...rounds {
            // The first round warms up.
            let (frames, size) = try frames(sales, first: round * salesOfConnection, number: &number)
            for target in targets {
                let before = try target.processorSeconds()
                let elapsed = try target.load.run(frames, size: size, window: window)
                let work = try target.processorSeconds() - before
                guard round > 0 else { continue }
                let count = Double(connections * salesOfConnection)
                target.rates.add(count / elapsed)
                // The clock of the work is coarse.
                target.worked.add(count / max(work, 0.01))
            }
        }
        for target in targets { try check(target, sales, count: number) }
        return Self.table(targets)
    }

    private func targets() throws -> [Target] {
        let echo = try RunningEcho(certificates)
        var targets = [
            Target(
                "echo over TCP (baseline)", try BareLoad(port: echo.plain, connections: connections), isAcquirer: false
            ) { try echo.processorSeconds }
        ]
        let (file, pinned) = (folder.path + "/load.sqlite", folder.path + "/pinned.sqlite")
        for (name, ledger, core) in [
            ("ledger in memory", nil, nil), ("ledger in a file, flushed", file, nil),
            ("ledger in a file, flushed, on one core", pinned, 0),
        ] as [(String, String?, Int?)] {
            let acquirer = try RunningAcquirer(program: program, ledger: ledger, core: core)
            targets.append(
                Target(
                    name, try BareLoad(port: acquirer.port, connections: connections), ledger: ledger
                ) { try acquirer.processorSeconds })
        }
        return targets
    }

    /// The frames of a round, which are new to every target.
    private func frames(
        _ sales: ChipSales, first: Int, number: inout Int
    ) throws -> (bytes: [UInt8], size: Int) {
        var (bytes, size) = ([UInt8](), 0)
        for connection in 1...connections {
            for place in 1...salesOfConnection {
                number += 1
                let frame = try sales.frame(
                    number, terminal: "T" + connection.zeroPadded(to: 7), trace: first + place)
                guard size == 0 || size == frame.count else { throw BenchmarkError("frames of several sizes") }
                size = frame.count
                bytes += frame
            }
        }
        return (bytes, size)
    }

    /// Fails unless every sale was approved, and is in the ledger.
    private func check(_ target: Target, _ sales: ChipSales, count: Int) throws {
        guard target.isAcquirer else { return }
        for answer in target.load.lastAnswers { try sales.checkApproval(answer) }
        guard let ledger = target.ledger else { return }
        let approved = try Self.approvals(in: ledger)
        guard approved == count else {
            throw BenchmarkError("\(target.name): \(approved) of \(count) sales are approved in the ledger")
        }
    }

    private static func approvals(in path: String) throws -> Int {
        var (database, statement): (OpaquePointer?, OpaquePointer?) = (nil, nil)
        defer {
            sqlite3_finalize(statement)
            sqlite3_close(database)
        }
        let query = "SELECT count(*) FROM message WHERE kind = 'sale' AND response = '00'"
        guard sqlite3_open_v2(path, &database, SQLITE_OPEN_READONLY, nil) == SQLITE_OK,
            sqlite3_prepare_v2(database, query, -1, &statement, nil) == SQLITE_OK,
            sqlite3_step(statement) == SQLITE_ROW
        else { throw BenchmarkError("SQLite: " + String(cString: sqlite3_errmsg(database))) }
        return Int(sqlite3_column_int64(statement, 0))
    }

    private static func table(_ targets: [Target]) -> String {
        var table = MarkdownTable(
            "server", "messages/s", "the same per core and second of work", "µs of work", "echo / server", "target")
        for target in targets {
            let isPinned = target.name.hasSuffix("one core")
            let rate = isPinned ? target.rates.median : target.worked.median
            table.add(
                target.name, target.rates.text(decimals: 0), target.worked.text(decimals: 0),
                target.worked.map { 1_000_000 / $0 }.text(decimals: 1),
                (targets[0].rates / target.rates).text(decimals: 1),
                target.ledger == nil ? "" : verdict(rate, atLeast: 5_000))
        }
        return table.text
    }

    // MARK: Memory

    private func memory() throws -> String {
        let sales = try ChipSales()
        var table = MarkdownTable(
            "connections", "before, MB", "signed on, one sale each, MB", "of a connection, kB", "target, MB")
        for certificates in [nil, certificates] {
            let name = certificates == nil ? "TCP" : "TLS"
            let acquirer = try RunningAcquirer(
                program: program, ledger: folder.path + "/memory-\(name).sqlite", certificates: certificates)
            let before = try acquirer.residentKilobytes
            var clients: [BareClient] = []
            for number in 1...kept {
                let client = try BareClient(port: acquirer.port, certificates: certificates)
                let terminal = "M" + number.zeroPadded(to: 7)
                try sales.checkApproval(try client.exchange(try sales.signOn(terminal: terminal, trace: 1)).answer)
                try sales.checkApproval(
                    try client.exchange(try sales.frame(number, terminal: terminal, trace: 2)).answer)
                clients.append(client)
            }
            let after = try withExtendedLifetime(clients) { try acquirer.residentKilobytes }
            table.add(
                "\(kept) over \(name)", Self.megabytes(before).text(1), Self.megabytes(after).text(1),
                (Double(after - before) / Double(kept)).text(1), verdict(Self.megabytes(after), atMost: 100))
        }
        return table.text
    }

    private static func megabytes(_ kilobytes: Int) -> Double { Double(kilobytes) * 1024 / 1_000_000 }
}
