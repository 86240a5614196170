import Determinism
import Payments
import Testing

@testable import Storage

/// The objects of tills beside the journal.
struct TillObjectTests {
    private static let noon = VirtualTimeSource.standardStart
    private static let later = noon.advanced(by: .seconds(60))

    private static func object(
        _ name: String, _ contents: String = "{}", kind: String = "payment_intent", of protocolName: String = "stripe",
        at moment: Timestamp = noon
    ) -> TillObject {
        TillObject(name: name, protocolName: protocolName, kind: kind, contents: contents, at: moment)
    }

    private func journal(_ database: TemporaryDatabase) throws -> PaymentJournal {
        let storage = try database.open()
        return PaymentJournal(storage: storage, lease: try ProcessLease(in: storage))
    }

    @Test func `an object keeps its place when it changes, and is gone when it is deleted`() throws {
        let database = try TemporaryDatabase()
        let journal = try journal(database)
        try journal.keep([Self.object("a"), Self.object("b", kind: "webhook_endpoint"), Self.object("c")])
        try journal.keep([Self.object("a", #"{"amount":1}"#, at: Self.later)], deleting: ["c", "unknown"])
        try journal.keep([Self.object("other", of: "nexo")])
        let objects = try journal.tillObjects(of: "stripe")
        #expect(objects.map(\.name) == ["a", "b"])
        #expect(objects.map(\.contents) == [#"{"amount":1}"#, "{}"])
        #expect(objects.first?.createdAt == Self.noon && objects.first?.updatedAt == Self.later)
    }

    @Test func `the newest objects of a kind are kept, and all of the others`() throws {
        let database = try TemporaryDatabase()
        let journal = try journal(database)
        try journal.keep([Self.object("place", kind: "terminal.location")])
        for number in 1...5 { try journal.keep([Self.object("pi_\(number)")]) }
        try journal.forgetTillObjects(of: "stripe", kind: "payment_intent", beyond: 5)
        #expect(try journal.tillObjects(of: "stripe").count == 6)
        try journal.forgetTillObjects(of: "stripe", kind: "payment_intent", beyond: 2)
        #expect(try journal.tillObjects(of: "stripe").map(\.name) == ["place", "pi_4", "pi_5"])
    }

    @Test func `objects are kept together or not at all`() throws {
        let database = try TemporaryDatabase()
        let journal = try journal(database)
        try journal.keep([Self.object("a")])
        #expect(throws: JournalError.self) {
            try journal.keep([Self.object("b"), Self.object("c", "no JSON")], deleting: ["a"])
        }
        #expect(try journal.tillObjects(of: "stripe").map(\.name) == ["a"])
    }
}
