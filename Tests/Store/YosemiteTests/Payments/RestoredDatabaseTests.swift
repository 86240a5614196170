import Money
import Payments
import SimulatedTime
import Simulator
import Storage
import Synchronization
import Testing

@testable import Yosemite

/// Tills whose database was restored from a backup, while the host has gone on.
@Suite(.simulatedTime, .timeLimit(.minutes(10))) struct RestoredDatabaseTests {
    private let silent = IssuerFaultRule(.notReachable, messages: [.inquire])

    /// A database with one payment, put back after two more.
    private func restored() async throws -> (database: TestDatabase, keys: Set<IdempotencyKey>) {
        let database = try TestDatabase()
        let till = try TestTill { $0.database = database }
        #expect(try await till.pay().outcome == .approved)
        let backup = try database.afterKill()
        for amount in ["3.00", "4.00"] { #expect(try await till.collect(amount).outcome == .approved) }
        return (try database.restored(from: backup), Set(try await till.issuer.ledger().entries.map(\.key)))
    }

    private func key(_ payment: Payment, _ till: TestTill) async throws -> IdempotencyKey {
        try #require(try await till.history(payment).attempts.last).attempt.key
    }

    @Test func `the database takes a new identity, and says so once`() async throws {
        let (database, keys) = try await restored()
        let till = try TestTill { $0.database = database }
        let report = try await till.recover()
        #expect(report.restored.map(\.lastNumber) == [1])
        #expect(report.restored.map(\.hostNumber) == [3])
        #expect(try await till.recover() == RecoveryReport())
        let payment = try await till.pay("5.00")
        #expect(payment.outcome == .approved)
        #expect(payment.name == "P000004")
        #expect(try await !keys.contains(key(payment, till)))
        #expect(try await till.charged() == 1250 + 300 + 400 + 500)
        #expect(try till.captured() == 1250 + 500)
        // Another opening finds nothing new.
        let next = try TestTill { $0.database = database }
        #expect(try await next.recover() == RecoveryReport())
    }

    @Test func `the same backup put back twice does not use the first successor again`() async throws {
        let database = try TestDatabase()
        let till = try TestTill { $0.database = database }
        _ = try await till.pay()
        let backup = try database.afterKill()
        _ = try await till.collect("3.00")
        var last = database
        for count in 1...3 {
            last = try last.restored(from: backup)
            // The same seed draws the same identities.
            let next = try TestTill { $0.database = last }
            #expect(try await next.recover().restored.count == 1)
            #expect(try await next.pay("5.00").outcome == .approved)
            #expect(try await next.charged() == 1250 + 300 + Int64(count) * 500)
        }
    }

    /// The former identities with which an action was refused; nil when it was not.
    private func refusal(_ body: () async throws -> Payment) async throws -> [FormerIdentity]? {
        do {
            _ = try await body()
            return nil
        } catch let error as ActionFailure<CardPresentPaymentsError> {
            guard case .failed(.restored(let found)) = error else { throw error }
            return found
        }
    }

    @Test func `no payment, retry, or refund begins until a report has named the restored backup`() async throws {
        let (database, keys) = try await restored()
        let till = try TestTill { $0.database = database }
        try await till.connect()
        let first = try #require(try till.journal.payments().first)
        let found = try #require(try await refusal { try await till.collect("5.00") })
        #expect(found.map(\.hostNumber) == [3])
        // As often as it is asked for.
        #expect(try await refusal { try await till.collect("5.00") } == found)
        #expect(try await refusal { try await till.refund(first) } == found)
        #expect(try await refusal { try await till.retry(first) } == found)
        #expect(try till.journal.payments().count == 1)
        #expect(try await till.charged() == 1250 + 300 + 400)

        let report = try await till.recover()
        #expect(report.restored == found)
        #expect(report.refusal == .restored(found))
        #expect(try await till.recover().refusal == nil)
        let payment = try await till.collect("5.00")
        #expect(payment.outcome == .approved)
        #expect(try await !keys.contains(key(payment, till)))
        #expect(try await till.refund(first).state == .refunded)
        #expect(try await till.charged() == 300 + 400 + 500)
    }

    @Test func `a backup that is found after a silent recovery stops the payment`() async throws {
        let (database, _) = try await restored()
        let isSilent = Mutex(true)
        let till = try TestTill {
            $0.database = database
            $0.wrap = { host in
                MeddlingHost(
                    host: host,
                    questioned: { () throws(PaymentHostError) in
                        if isSilent.withLock({ $0 }) { throw .notSent("no connection") }
                    })
            }
        }
        #expect(try await till.recover() == RecoveryReport())
        isSilent.withLock { $0 = false }
        try await till.connect()
        #expect(try await refusal { try await till.collect("5.00") }?.count == 1)
        #expect(try await till.charged() == 1250 + 300 + 400)
        #expect(try await till.recover().restored.count == 1)
        #expect(try await till.collect("5.00").outcome == .approved)
    }

    @Test func `while the host is silent, payments get keys that it cannot know`() async throws {
        let (database, keys) = try await restored()
        let till = try TestTill {
            $0.database = database
            $0.faults = [silent]
        }
        #expect(try await till.recover() == RecoveryReport())
        try await till.connect()
        for _ in 0..<2 {
            let payment = try await till.collect("5.00")
            #expect(payment.outcome == .approved)
            #expect(try await !keys.contains(key(payment, till)))
        }
        #expect(try till.journal.formerIdentities().map(\.state) == [.unconfirmed])
        #expect(try await till.charged() == 1250 + 300 + 400 + 1000)
        let next = try TestTill { $0.database = database }
        #expect(try await next.recover().restored.map(\.hostNumber) == [3])
        #expect(try await next.pay("6.00").outcome == .approved)
        #expect(try await next.charged() == 1250 + 300 + 400 + 1000 + 600)
    }

    @Test func `a silent host alone is no restored backup`() async throws {
        let database = try TestDatabase()
        let first = try TestTill { $0.database = database }
        _ = try await first.pay()
        let second = try TestTill {
            $0.database = database
            $0.faults = [silent]
        }
        _ = try await second.pay()
        let third = try TestTill { $0.database = database }
        #expect(try await third.recover() == RecoveryReport())
        #expect(try third.journal.formerIdentities().map(\.state) == [.confirmed])
        #expect(try await third.pay().name == "P000003")
        #expect(try await third.booksAgree())
    }

    @Test func `a sale of the backup that was finished since is not taken back`() async throws {
        // Copies of the first payment at every event, and around the message to the host.
        let database = try TestDatabase()
        let backups = Mutex<[TestDatabase]>([])
        let isWatching = Mutex(true)
        let take: @Sendable () -> Void = {
            guard isWatching.withLock({ $0 }) else { return }
            do {
                let copy = try database.afterKill()
                backups.withLock { $0.append(copy) }
            } catch {
                Issue.record(error)
            }
        }
        let till = try TestTill {
            $0.database = database
            $0.wrap = { MeddlingHost(host: $0, before: { take() }, after: { take() }) }
        }
        #expect(try await till.pay { _ in take() }.outcome == .approved)
        isWatching.withLock { $0 = false }
        _ = try await till.collect("3.00")
        let all = backups.withLock { $0 }
        #expect(all.count > 4)
        for (number, backup) in all.enumerated() {
            let note: Comment = "backup \(number)"
            let next = try TestTill { $0.database = try database.restored(from: backup) }
            let report = try await next.recover()
            #expect(report.open.isEmpty, note)
            let first = try #require(try next.journal.payments().last, note)
            #expect(first.state == .captured, note)
            #expect(try !next.journal.receipts(of: first.id).isEmpty, note)
            #expect(try await next.charged() == 1250 + 300, note)
            #expect(try await next.recover() == RecoveryReport(), note)
        }
    }

    @Test func `an open sale waits while it is not known whether the database was restored`() async throws {
        let database = try TestDatabase()
        let backup = Later<TestDatabase>()
        let till = try TestTill { $0.database = database }
        _ = try await till.pay { _ in
            if backup.value == nil { backup.value = try? database.afterKill() }
        }
        let restored = try database.restored(from: try #require(backup.value))
        let next = try TestTill {
            $0.database = restored
            $0.faults = [silent]
        }
        let entries = try await next.issuer.ledger().entries
        let report = try await next.recover()
        #expect(report.open.map(\.state) == [.pending])
        #expect(report.finished.isEmpty)
        #expect(try await next.issuer.ledger().entries == entries)
        // The till that left the sale open has ended: while it lives, the sale is its own.
        let last = try TestTill { $0.database = try restored.afterKill() }
        let finished = try await last.recover()
        #expect(finished.finished.map(\.state) == [.captured])
        #expect(try await last.booksAgree())
    }

    @Test func `a refund that the backup does not have is not paid again`() async throws {
        let database = try TestDatabase()
        let till = try TestTill { $0.database = database }
        let payment = try await till.pay()
        let backup = try database.afterKill()
        #expect(try await till.refund(payment).state == .refunded)
        let next = try TestTill { $0.database = try database.restored(from: backup) }
        #expect(try await refusal { try await next.refund(payment) }?.count == 1)
        // A person who asks for it all the same gets the host's answer.
        _ = try await next.recover()
        _ = try? await next.refund(payment)
        #expect(try await next.charged() == 0)
        #expect(try next.journal.payment(payment.id).refundedAmount.minorUnits == 0)
    }

    @Test func `a till killed while it takes the new identity does it again, or has done it`() async throws {
        let (database, keys) = try await restored()
        let kills = Mutex<[TestDatabase]>([])
        let take: @Sendable () -> Void = {
            do {
                let copy = try database.afterKill()
                kills.withLock { $0.append(copy) }
            } catch {
                Issue.record(error)
            }
        }
        let till = try TestTill {
            $0.database = database
            $0.wrap = { MeddlingHost(host: $0, asked: { take() }) }
        }
        take()
        _ = try await till.recover()
        take()
        #expect(kills.withLock { $0.count } == 3)
        for (copy, isDone) in zip(kills.withLock { $0 }, [false, false, true]) {
            let next = try TestTill { $0.database = copy }
            #expect(try await next.recover().restored.count == (isDone ? 0 : 1))
            #expect(try next.journal.formerIdentities().map(\.state) == [.restored])
            let payment = try await next.pay("5.00")
            #expect(try await !keys.contains(key(payment, next)))
            #expect(try await next.charged() == 1250 + 300 + 400 + 500)
        }
    }
}
