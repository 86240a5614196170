import GRDB
import Payments
import Testing

@testable import Storage

/// What a restored backup lost, and a person has accepted.
@Suite struct AcceptedLossTests {
    private let successor = "00000000000000aa"
    private let database: TemporaryDatabase
    private let journal: PaymentJournal

    init() throws {
        database = try TemporaryDatabase()
        journal = try database.journal()
    }

    /// Takes a payment, and finds that the database was restored; returns the former identity.
    private func restore() throws -> String {
        _ = try journal.capturedSale()
        let current = try journal.identitiesToConfirm(hostName: "simulated").current
        let answer = IdentityAnswer(current: current, numbers: [current: 3], hostName: "simulated")
        _ = try journal.confirmIdentity(answer, successor: successor, at: at(5))
        return current
    }

    private func loss(
        _ number: Int64, of identity: String, _ minorUnits: Int64 = 300, _ kind: PaymentAttempt.Kind = .sale
    ) throws -> LostAttempt {
        LostAttempt(
            key: IdempotencyKey(identity: identity, number: number), hostName: "simulated", kind: kind,
            amount: try usd(minorUnits))
    }

    @Test func `an accepted loss keeps its first reason and time`() throws {
        let identity = try restore()
        let losses = [try loss(2, of: identity), try loss(3, of: identity, 400, .refund)]
        let accepted = try journal.acceptLosses([losses[0]], reason: "first", at: at(6))
        #expect(accepted.map(\.loss) == [losses[0]])
        #expect(try journal.acceptLosses(losses, reason: "second", at: at(7)).map(\.loss) == [losses[1]])
        #expect(try journal.acceptLosses(losses, reason: "third", at: at(8)).isEmpty)
        let all = try journal.acceptedLosses()
        #expect(all.map(\.loss) == losses)
        #expect(all.map(\.reason) == ["first", "second"])
        #expect(all.map(\.at) == [at(6), at(7)])
        // Another opening has them too.
        #expect(try database.journal().acceptedLosses() == all)
    }

    @Test func `a database that was never restored has lost nothing`() throws {
        #expect(throws: JournalError.neverRestored) {
            try journal.acceptLosses([try loss(1, of: successor)], reason: "why", at: at(6))
        }
        #expect(try journal.acceptLosses([], reason: "why", at: at(6)).isEmpty)
        #expect(try journal.acceptedLosses().isEmpty)
    }

    @Test func `an attempt that the journal has is not lost`() throws {
        let identity = try restore()
        #expect(try journal.acceptLosses([try loss(1, of: identity, 1250)], reason: "why", at: at(6)).isEmpty)
    }

    @Test func `an accepted loss has no card number, and is never changed or deleted`() throws {
        let identity = try restore()
        try journal.acceptLosses([try loss(2, of: identity)], reason: "card 4761739001010010", at: at(6))
        #expect(try database.text("SELECT reason FROM acceptedLoss") == "card ************0010")
        #expect(throws: DatabaseError.self) { try database.execute("UPDATE acceptedLoss SET amount = 1") }
        #expect(throws: DatabaseError.self) { try database.execute("DELETE FROM acceptedLoss") }
    }
}
