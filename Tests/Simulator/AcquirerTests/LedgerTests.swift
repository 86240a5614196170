import Determinism
import Foundation
import ISO8583
import Money
import Payments
import SimulatedTime
import Simulator
import Testing

@testable import Acquirer

@Suite("The ledger of the simulated acquirer", .simulatedTime)
struct LedgerTests {
    /// Calls `body` with the path of a ledger in a folder of its own.
    private func withPath(_ body: (String) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "acquirer-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder.appending(path: "a.sqlite").path)
    }

    @Test func `a restart continues the ledger, and repeats get their first answers`() async throws {
        try await withPath { path in
            let world = try AcquirerWorld(ledger: try AcquirerLedger(path: path))
            let client = world.client()
            let (sale, second) = (try world.sale(1), try world.sale(2))
            let first = try await client.ask(sale)
            _ = try await client.ask(second)
            _ = try await client.ask(try world.reversal(of: second, 0))
            let never = try world.sale(3)
            _ = try await client.ask(try world.reversal(of: never, 0))
            let before = await world.acquirer.records
            let entries = try await world.acquirer.issuer.ledger().entries

            let copy = path + ".copy"
            for part in ["", "-wal"] {
                try FileManager.default.copyItem(atPath: path + part, toPath: copy + part)
            }
            let later = try AcquirerWorld(ledger: try AcquirerLedger(path: copy), seed: 99)
            #expect(await later.acquirer.records == before)
            #expect(try await later.acquirer.issuer.ledger().entries == entries)
            let other = later.client()
            #expect(try await other.ask(sale) == first)
            #expect(try await other.code(second) == "94")
            #expect(try await other.code(never) == "94")
            #expect(try await other.code(try later.reversal(of: sale, 0)) == "00")
            let records = await later.acquirer.records
            #expect(try AcquirerLedger.records(path: copy) == records)
        }
    }

    @Test func `the file has no card number and no track`() async throws {
        try await withPath { path in
            let world = try AcquirerWorld(ledger: try AcquirerLedger(path: path))
            _ = try await world.client().ask(try world.sale(1))
            let files = try ["", "-wal"].map { try Data(contentsOf: URL(filePath: path + $0)) }
            for file in files { #expect(file.range(of: Data("4761739001027014".utf8)) == nil) }
            #expect(files.contains { $0.range(of: Data("7014".utf8)) != nil })
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
        }
    }

    @Test func `another file is no ledger, and a missing one is told`() async throws {
        try await withPath { path in
            #expect(throws: AcquirerLedgerError.missing(path: path)) { try AcquirerLedger.records(path: path) }
            let folder = URL(filePath: path).deletingLastPathComponent()
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Data(repeating: 0x41, count: 5000).write(to: URL(filePath: path))
            #expect(throws: AcquirerLedgerError.noLedger(path: path)) { try AcquirerLedger(path: path) }
            #expect(throws: AcquirerLedgerError.noLedger(path: path)) { try AcquirerLedger.records(path: path) }
        }
    }

    @Test func `without its file there is no answer, and the repeat gets it later`() async throws {
        try await withPath { path in
            let world = try AcquirerWorld(ledger: try AcquirerLedger(path: path))
            let client = world.client()
            let sale = try world.sale(5)
            try FileManager.default.moveItem(atPath: path, toPath: path + ".away")
            try await client.send(sale)
            #expect(try await client.receive() == nil)
            #expect(world.events.contains { if case .ledgerFailed = $0 { true } else { false } })
            // Until the disk takes it, nothing more is decided.
            try await client.send(try world.sale(6))
            #expect(try await client.receive() == nil)
            #expect(await world.acquirer.records.count == 1)
            try FileManager.default.moveItem(atPath: path + ".away", toPath: path)
            #expect(try await client.code(sale) == "00")
            #expect(try AcquirerLedger.records(path: path).map(\.traceNumber) == ["000005"])
        }
    }

    @Test func `sales of several terminals at the same time are in the file when they are answered`() async throws {
        try await withPath { path in
            let world = try AcquirerWorld(ledger: try AcquirerLedger(path: path))
            let isKept = try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 1...6 {
                    let (client, terminal) = (world.client(), "TERM000\(number)")
                    let sales = try (1...5).map { try world.sale($0, terminal: terminal) }
                    group.addTask {
                        var answered = 0
                        for sale in sales {
                            guard try await client.code(sale) == "00" else { return false }
                            answered += 1
                            let kept = try AcquirerLedger.records(path: path).filter { $0.terminal == terminal }
                            guard kept.count == answered else { return false }
                        }
                        return answered == sales.count
                    }
                }
                return try await group.reduce(true) { $0 && $1 }
            }
            #expect(isKept)
            let records = await world.acquirer.records
            #expect(records.count == 30)
            #expect(try AcquirerLedger.records(path: path) == records)
        }
    }

    @Test func `a ledger belongs to one acquirer, and the next one can have it afterward`() async throws {
        try await withPath { path in
            do {
                let first = try AcquirerLedger(path: path)
                #expect(throws: AcquirerLedgerError.busy(path: path)) { try AcquirerLedger(path: path) }
                #expect(try AcquirerLedger.records(path: path).isEmpty)
                try await first.commit()
            }
            _ = try AcquirerLedger(path: path)
        }
    }

    @Test func `a void is a refund where the till has an attempt of it, and a reversal elsewhere`() async throws {
        let world = try AcquirerWorld()
        let client = world.client()
        let sale = try world.sale(1)
        let answer = try await client.ask(sale)
        _ = try await client.ask(try world.message(.void, 2, about: sale, answered: answer))
        let records = await world.acquirer.records
        func states(_ numbers: [Int64]) -> [String] {
            let attempts = numbers.map { number in
                AcquirerComparison.Attempt(
                    key: IdempotencyKey(identity: "till", number: number), traceNumber: number, at: world.clock.now())
            }
            return AcquirerComparison(records, till: attempts, time: world.clock).states.map { key, state in
                let original = state.original.map { " of \($0)" } ?? ""
                return "\(key)\(original) \(state.isRefund) \(state.minorUnits) \(state.isReversed)"
            }
        }
        #expect(states([1, 2]) == ["till-1 false 1250 false", "till-2 of till-1 true 1250 false"])
        #expect(states([1]) == ["till-1 false 0 true"])
    }

    @Test func `the time that was sent decides, whatever zone the till is in`() async throws {
        let world = try AcquirerWorld()
        let sale = try world.sale(1)
        _ = try await world.client().ask(sale)
        func key(fields: [Int: String]) async -> String? {
            let attempt = AcquirerComparison.Attempt(
                key: IdempotencyKey(identity: "till", number: 1), stan: 9,
                sent: MessageIdentity(type: "0200", fields: fields),
                at: world.clock.now().advanced(by: .seconds(9 * 3600)))
            return AcquirerComparison(await world.acquirer.records, till: [attempt], time: world.clock)
                .states.first?.key.rawValue
        }
        let sent = Dictionary(uniqueKeysWithValues: [7, 11, 12, 13].map { ($0, sale.text(of: $0) ?? "") })
        #expect(await key(fields: sent) == "till-1")
        #expect(await key(fields: sent.merging([12: "010203"]) { $1 }.filter { $0.key != 7 }) != "till-1")
    }

    @Test(arguments: [true, false])
    func `a message without a year belongs to the attempt of another year`(hasSentTimes: Bool) async throws {
        let world = try AcquirerWorld()
        let sale = try world.sale(1)
        _ = try await world.client().ask(sale)
        func key(daysLater days: Int) async -> String? {
            let key = IdempotencyKey(identity: "till", number: 1)
            let at = world.clock.now().advanced(by: .seconds(86_400 * days))
            let fields = Dictionary(uniqueKeysWithValues: [11, 12, 13].map { ($0, sale.text(of: $0) ?? "") })
            let attempt =
                hasSentTimes
                ? AcquirerComparison.Attempt(
                    key: key, stan: 1, sent: MessageIdentity(type: "0200", fields: fields), at: at)
                : AcquirerComparison.Attempt(key: key, traceNumber: 1, at: at)
            return AcquirerComparison(await world.acquirer.records, till: [attempt], time: world.clock)
                .states.first?.key.rawValue
        }
        // The acquirer took the year of its own clock; the till's was a year earlier or later.
        for days in [0, 365, -365] { #expect(await key(daysLater: days) == "till-1", "\(days)") }
        if !hasSentTimes { #expect(await key(daysLater: 30) != "till-1") }
    }

    @Test func `the attempts of a till are found by trace number and time`() async throws {
        let world = try AcquirerWorld()
        let client = world.client()
        let sale = try world.sale(1)
        let answer = try await client.ask(sale)
        let lost = try world.sale(2)
        _ = try await client.ask(try world.reversal(of: lost, 0))
        _ = try await client.ask(try world.message(.refund, 3, amount: 250, about: sale, answered: answer))
        _ = try await client.ask(try world.sale(4, amount: 300))
        let dollars = try Currency(code: "USD")
        func attempt(
            _ number: Int64, _ kind: TillAttempt.Kind = .sale, _ units: Int64, _ outcome: TillAttempt.Outcome
        ) throws -> TillAttempt {
            TillAttempt(
                key: IdempotencyKey(identity: "till", number: number), payment: "P00000\(number)", kind: kind,
                original: kind == .refund ? IdempotencyKey(identity: "till", number: 1) : nil,
                amount: try Money(minorUnits: units, currency: dollars), outcome: outcome)
        }
        let till = [
            try attempt(1, .sale, 1250, .moved), try attempt(2, .sale, 1250, .reversed),
            try attempt(3, .refund, 250, .moved),
        ]
        func compare(_ till: [TillAttempt], hours: Int = 0) async -> IssuerReconciliation {
            let attempts = till.enumerated().map { place, attempt in
                AcquirerComparison.Attempt(
                    key: attempt.key, traceNumber: Int64(place + 1),
                    at: world.clock.now().advanced(by: .seconds(60 + 3600 * hours)))
            }
            let comparison = AcquirerComparison(
                await world.acquirer.records, till: attempts, terminal: "TERM0001", time: world.clock)
            return IssuerReconciliation(till: till, states: comparison.states)
        }
        let result = await compare(till + [try attempt(4, .sale, 300, .moved)])
        #expect(result.differences.isEmpty)
        #expect(result.totals.first?.issuer == 1300)
        let short = await compare(till)
        #expect(short.differences.map(\.kind) == [.unknownToTill])
        #expect(short.differences.first?.key.rawValue == "TERM0001/000004/2026-01-02T12:00:00")
        let wrong = await compare([try attempt(1, .sale, 1300, .moved)] + till.dropFirst())
        #expect(wrong.differences.map(\.kind) == [.amount, .unknownToTill])
        #expect(await compare(till, hours: 2).differences.map(\.kind).contains(.missingAtIssuer))
    }
}
