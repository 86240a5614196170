import Determinism
import Payments
import PostgreSQL
import Storage
import Synchronization
import TestPostgreSQL
import Testing

@testable import Fleet

@Suite(.enabled(if: TemporaryPostgreSQL.isUsed, Comment(rawValue: TemporaryPostgreSQL.missing)))
struct ShippingTests {
    @Test func `the back office has what the journal has`() async throws {
        let bench = try await FleetBench()
        let lane = try await bench.lane()
        let sale = try lane.pay(1250)
        try lane.refund(sale.payment.id, 200)
        try lane.pay(300, as: .declined)
        let count = try await lane.shipper(to: bench.office).ship(patience: .zero)
        #expect(count > 10)
        #expect(try lane.outbox.position().waiting == 0)
        #expect(try await bench.differences(lane) == 0)
        #expect(try await bench.number("SELECT count(*) FROM fleet.change") == Int64(count))
        try lane.refund(sale.payment.id, 100)
        #expect(try await bench.differences(lane) > 0)
        _ = try await lane.shipper(to: bench.office).ship(patience: .zero)
        #expect(try await bench.differences(lane) == 0)
    }

    @Test func `a journal with payments ships them when it becomes a lane`() async throws {
        let bench = try await FleetBench()
        let lane = try TestLane()
        try lane.pay(1250)
        try await bench.office.invite("till 9", of: "harbor", token: "t", hours: 1)
        _ = try await lane.enrollment(at: bench.office).enroll(token: "t")
        _ = try await lane.shipper(to: bench.office).ship(patience: .zero)
        #expect(try await bench.differences(lane) == 0)
        #expect(try await bench.number("SELECT count(*) FROM fleet.payment") == 1)
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `a network that loses requests and answers loses and doubles no entry`(_ seed: UInt64) async throws {
        let bench = try await FleetBench()
        let lane = try await bench.lane()
        let network = try await FailingNetwork(to: bench.server.port, losses: 25, seed: seed)
        let options = ShippingOptions(entries: 3, firstRetry: .zero, longestRetry: .zero)
        // It takes payments while it ships.
        for amount in 1...20 {
            let sale = try lane.pay(Int64(amount))
            if amount.isMultiple(of: 3) { try lane.refund(sale.payment.id, 1) }
            // A new process each time, as after a crash.
            let office = try bench.office(through: network.port)
            _ = try await lane.shipper(to: office, options).ship(patience: .seconds(600))
            await office.close()
        }
        #expect(network.losses < 25)
        let written = try lane.outbox.position().written
        #expect(try await bench.number("SELECT count(*) FROM fleet.change") == written)
        #expect(try await bench.number("SELECT max(sequence) FROM fleet.change") == written)
        #expect(try await bench.differences(lane) == 0)
    }

    @Test func `a batch that is delivered many times at once is applied once`() async throws {
        let bench = try await FleetBench()
        let lane = try await bench.lane()
        for amount in 1...5 { try lane.pay(Int64(amount)) }
        let batch = try #require(try lane.outbox.batch(atMost: 100))
        let verdicts = try await withThrowingTaskGroup(of: ShippingAnswer.self) { group in
            for _ in 0..<6 {
                let office = try bench.office()
                group.addTask { try ShippingAnswer(try await office.run(batch.statement(clock: 0))) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(verdicts.allSatisfy { $0.verdict == .applied && $0.applied == batch.position.written })
        #expect(try await bench.number("SELECT count(*) FROM fleet.change") == batch.position.written)
        #expect(try await bench.differences(lane) == 0)
    }

    @Test func `a lane that ends between the server's commit and its own ships again without harm`() async throws {
        let bench = try await FleetBench()
        let lane = try await bench.lane()
        try lane.pay(1250)
        let batch = try #require(try lane.outbox.batch(atMost: 100))
        _ = try await bench.office.run(batch.statement(clock: FleetBench.time.now().milliseconds))
        #expect(try lane.outbox.position().waiting == batch.position.written)
        try lane.pay(300)
        // With smaller batches than before.
        _ = try await lane.shipper(to: bench.office, ShippingOptions(entries: 2)).ship(patience: .zero)
        #expect(try lane.outbox.position().waiting == 0)
        #expect(try await bench.number("SELECT count(*) FROM fleet.change") == lane.outbox.position().written)
        #expect(try await bench.differences(lane) == 0)
    }

    @Test func `a server that starts again, and processes of it that are ended, lose nothing`() async throws {
        try await TemporaryPostgreSQL.running { server in
            let bench = try await FleetBench(server)
            let lane = try await bench.lane()
            let office = try bench.office()
            let options = ShippingOptions(entries: 2, firstRetry: .milliseconds(1), longestRetry: .milliseconds(20))
            for amount in 1...4 { try lane.pay(Int64(amount)) }
            let shipping = Task { try await lane.shipper(to: office, options).follow() }
            for round in 1...4 {
                try lane.pay(Int64(round) * 100)
                if round == 2 {
                    try await server.restart()
                } else {
                    _ = try? await bench.office.run(
                        Statement(
                            """
                            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                            WHERE pid <> pg_backend_pid() AND datname = current_database()
                            """))
                }
                while try lane.outbox.position().waiting > 0 { try await Task.sleep(for: .milliseconds(5)) }
            }
            shipping.cancel()
            let end = await failure { try await shipping.value }
            #expect(end == .canceled)
            #expect(try await bench.differences(lane) == 0)
            #expect(try await bench.number("SELECT count(*) FROM fleet.change") == lane.outbox.position().written)
        }
    }

    @Test func `lanes ship at the same time, each in its own order`() async throws {
        let bench = try await FleetBench()
        var lanes: [TestLane] = []
        for number in 1...6 { lanes.append(try await bench.lane("till \(number)", of: number < 4 ? "harbor" : "hill")) }
        try await withThrowingTaskGroup { group in
            for lane in lanes {
                let office = try bench.office()
                group.addTask {
                    for amount in 1...5 {
                        try lane.pay(Int64(amount))
                        _ = try await lane.shipper(to: office, ShippingOptions(entries: 4)).ship(patience: .zero)
                    }
                }
            }
            try await group.waitForAll()
        }
        for lane in lanes { #expect(try await bench.differences(lane) == 0) }
        let gaps = try await bench.number(
            "SELECT count(*) FROM (SELECT 1 FROM fleet.change GROUP BY lane_id HAVING count(*) <> max(sequence)) x")
        #expect(gaps == 0)
    }

    @Test func `shippers of one lane count each entry once together`() async throws {
        let bench = try await FleetBench()
        let lane = try await bench.lane()
        for amount in 1...7 { try lane.pay(Int64(amount)) }
        let counts = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<4 {
                let office = try bench.office()
                group.addTask { try await lane.shipper(to: office).ship(patience: .zero) }
            }
            return try await group.reduce(0, +)
        }
        #expect(Int64(counts) == (try lane.outbox.position().written))
    }

    @Test func `a login, a password, or a database that is refused ends a lane at once, with advice`() async throws {
        let bench = try await FleetBench()
        let lane = try await bench.lane()
        try lane.pay(5)
        let host = "hostaddr=127.0.0.1 port=\(bench.server.port) sslmode=disable"
        for address in [
            "\(host) user=nobody_there dbname=\(bench.database) password=x",
            "\(host) user=tester dbname=\(bench.database) password=wrong",
            "\(host) user=tester dbname=nowhere password=\(bench.server.password)",
        ] {
            let office = try BackOffice(address, time: FleetBench.time)
            let error = await failure { try await lane.shipper(to: office).follow() }
            guard case .loginRefused = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(error?.isTransient == false)
            #expect(error?.fix?.contains("CARDPRESENT_FLEET") == true)
            #expect(error?.description.contains(".c:") == false)
        }
    }

    @Test func `a text with NUL is shipped without it`() async throws {
        let bench = try await FleetBench()
        let lane = try await bench.lane()
        let entry = try lane.pay(5, as: nil)
        try lane.journal.markUnknown(entry.attempt.id, reason: "a\u{0}\\u0000b", at: FleetBench.time.now())
        _ = try await lane.shipper(to: bench.office).ship(patience: .zero)
        #expect(try await bench.differences(lane) == 0)
        #expect(OutboxBatch.withoutNUL(#"["\u0000","\\u0000","\\\u0000"]"#) == #"["\uFFFD","\\u0000","\\\uFFFD"]"#)
    }

    @Test func `a server that is not there is tried again until the patience ends, with longer pauses`() async throws {
        let bench = try await FleetBench()
        let lane = try await bench.lane()
        try lane.pay(5)
        let nowhere = try BackOffice("hostaddr=127.0.0.1 port=1 user=x dbname=x", time: FleetBench.time)
        let pauses = Mutex<[Duration]>([])
        let time = VirtualTimeSource()
        let error = await failure {
            _ = try await lane.shipper(to: nowhere, time: time).ship(patience: .seconds(60)) { event in
                if case .interrupted(let error, let pause) = event, error.isTransient {
                    pauses.withLock { $0.append(pause) }
                }
            }
        }
        #expect(error?.isTransient == true)
        let heard = pauses.withLock { $0 }
        #expect(heard.count > 5)
        #expect(heard.first.map { $0 <= .milliseconds(200) && $0 >= .milliseconds(100) } == true)
        #expect(heard.allSatisfy { $0 <= .seconds(30) })
        #expect(heard.last.map { $0 > .seconds(2) } == true)
        #expect(try lane.outbox.position().waiting > 0)
    }
}
