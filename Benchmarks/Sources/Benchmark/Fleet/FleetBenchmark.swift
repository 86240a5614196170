import Connections
import Determinism
import Fleet
import PostgreSQL
import Storage

/// Lanes that ship to a back office: the lag of many lanes that take payments, and how fast a lane catches up.
struct FleetBenchmark {
    let address: String
    let folder: TemporaryFolder
    var lanes = 100
    /// The payments a second of each lane, and for how many seconds.
    private let rate = 10
    private let duration = 20
    var rounds = 5
    /// The payments of the lane that was offline.
    var payments = 4000

    private static let time = SystemTimeSource()

    func run() async throws -> String {
        let server = try await connect()
        let found: Bool = try await server.run(
            Statement("SELECT to_regnamespace('fleet') IS NOT NULL AS found"), deadline: Self.soon
        ).only().value("found")
        guard !found else {
            throw BenchmarkError("the database has a back office; give one without the schema 'fleet'")
        }
        let office = try BackOffice(address, time: Self.time)
        _ = try await office.setUp(Self.soon)
        try await office.addShop("benchmark", timeZone: "UTC")
        let text: String
        do {
            text = try await lag(office) + "\n" + catchUp(office, server)
        } catch {
            try? await server.runScript("DROP SCHEMA fleet CASCADE", deadline: Self.soon)
            throw error
        }
        try await server.runScript("DROP SCHEMA fleet CASCADE", deadline: Self.soon)
        return "### Fleet\n\n" + text
    }

    private static var soon: Deadline { Deadline(after: .seconds(600), on: time) }

    private func connect() async throws -> PostgreSQLConnection {
        try await PostgreSQLConnection.connect(
            to: PostgreSQLAddress(address), deadline: Self.soon, time: Self.time)
    }

    // MARK: Lag

    private func lag(_ office: BackOffice) async throws -> String {
        var lanes: [BenchmarkLane] = []
        for number in 1...self.lanes {
            lanes.append(try await BenchmarkLane(number, in: folder, at: office))
        }
        let samples = try await withThrowingTaskGroup(of: [Double].self) { group in
            for lane in lanes {
                let own = try BackOffice(address, time: Self.time)
                group.addTask { [rate, duration] in
                    try await lane.payAndShip(to: own, rate: rate, seconds: duration)
                }
            }
            return try await group.reduce(into: Samples()) { all, some in for value in some { all.add(value) } }
        }
        var entries: Int64 = 0
        for lane in lanes { entries += try lane.outbox.position().written }
        let asked = self.lanes * rate * duration
        guard samples.values.count == asked else {
            throw BenchmarkError("\(samples.values.count) of \(asked) payments were acknowledged")
        }
        var table = MarkdownTable("lanes", "payments", "entries per second", "lag p50 ms", "p99 ms", "most ms")
        table.add(
            "\(self.lanes)", "\(asked)", "\(Int(entries) / duration)", samples.percentile(50).text(0),
            samples.percentile(99).text(0), samples.maximum.text(0))
        return "From the commit of a payment at its lane until the lane knows that the back office has it.\n\n"
            + table.text
    }

    // MARK: Catching up

    private func catchUp(_ office: BackOffice, _ server: PostgreSQLConnection) async throws -> String {
        var (shipped, bare) = (Samples(), Samples())
        try await server.runScript(
            """
            CREATE TABLE fleet.bare (lane text, sequence bigint, kind text, name text, content jsonb,
                PRIMARY KEY (lane, sequence))
            """, deadline: Self.soon)
        var count = 0
        for round in 1...rounds {
            let lane = try await BenchmarkLane(1000 + round, in: folder, at: office)
            for _ in 0..<payments { try lane.pay() }
            guard let all = try lane.outbox.batch(atMost: .max) else { throw BenchmarkError("no lane") }
            count = all.entries.count
            bare.add(Double(count) / (try await seconds { try await insert(all, server) }))
            let shipper = FleetShipper(lane.outbox, to: office, time: Self.time, random: SystemRandomSource())
            var sent = 0
            let took = try await seconds { sent = try await shipper.ship(patience: .zero) }
            guard sent == count else { throw BenchmarkError("\(sent) of \(count) entries were shipped") }
            shipped.add(Double(count) / took)
        }
        var table = MarkdownTable("entries", "shipped per second", "bare INSERT per second", "ratio")
        table.add(
            "\(count)", shipped.text(decimals: 0), bare.text(decimals: 0), (shipped / bare).text(decimals: 2))
        return "A lane that was offline.\n\n" + table.text
    }

    /// Inserts the same rows in parts of the same size into a table with one index, and does nothing else.
    private func insert(_ batch: OutboxBatch, _ server: PostgreSQLConnection) async throws {
        var rest = batch.entries[...]
        let columns = 4
        while !rest.isEmpty {
            let part = rest.prefix(500)
            rest = rest.dropFirst(part.count)
            let rows = part.indices.map { index in
                let first = (index - part.startIndex) * columns + 2
                return "($1, $\(first), $\(first + 1), $\(first + 2), $\(first + 3)::text::jsonb)"
            }
            let values = part.flatMap { entry -> [SQLValue] in
                [.integer(entry.sequence), .text(entry.kind.rawValue), .text(entry.name), .text(entry.content)]
            }
            let insert = "INSERT INTO fleet.bare VALUES " + rows.joined(separator: ", ")
            try await server.run(Statement(insert, [.text(batch.lane.id)] + values), deadline: Self.soon)
        }
    }
}
