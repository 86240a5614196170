import Determinism
import Money
import Payments
import Testing

@testable import Storage

/// The requests of tills in the journal.
struct TillRequestTests {
    private static let noon = VirtualTimeSource.standardStart
    private static let later = noon.advanced(by: .seconds(3600))

    private static func request(_ name: String, note: String = "{}", ending: String? = nil) -> TillRequest {
        TillRequest(
            name: name, protocolName: "zvt", request: #"{"kind":"payment"}"#, note: note, ending: ending, at: noon)
    }

    private func journal(_ database: TemporaryDatabase) throws -> PaymentJournal {
        let storage = try database.open()
        return PaymentJournal(storage: storage, lease: try ProcessLease(in: storage))
    }

    private func begin(_ journal: PaymentJournal, for request: String?) throws -> JournalEntry {
        let amount = try Money(minorUnits: 1250, currency: try Currency(code: "EUR"))
        return try journal.begin(
            siteID: 0, orderID: nil, amount: amount, hostName: "simulated", tillRequest: request, at: Self.noon)
    }

    @Test func `an attempt belongs to its request from the commit that begins it`() throws {
        let database = try TemporaryDatabase()
        let journal = try journal(database)
        try journal.keep(Self.request("zvt-1"), hasNewNote: true)
        #expect(try journal.tillRequest("zvt-1")?.attempt == nil)
        let entry = try begin(journal, for: "zvt-1")
        let found = try #require(try journal.tillRequest("zvt-1"))
        #expect(found.attempt?.id == entry.attempt.id && found.attempt?.paymentID == entry.payment.id)
        // A payment of the command line has none.
        _ = try begin(journal, for: nil)
        let all = try journal.tillRequests(of: "zvt", newest: 10, since: Self.later)
        #expect(all.map(\.attempt?.id) == [entry.attempt.id])
    }

    @Test func `a refund belongs to its own request, and a capture to the sale of the hold`() throws {
        let database = try TemporaryDatabase()
        let journal = try journal(database)
        for name in ["sale", "refund", "capture"] { try journal.keep(Self.request(name), hasNewNote: true) }
        let sale = try begin(journal, for: "sale")
        try journal.markAuthorizing(sale.attempt.id, at: Self.noon)
        try journal.finish(sale.attempt.id, as: .captured, at: Self.noon)
        let refund = try journal.beginRefund(
            of: sale.payment.id, amount: sale.payment.amount, hostName: "simulated", tillRequest: "refund",
            at: Self.noon)
        try journal.bind("capture", toSaleOf: sale.payment.id)
        let found = try journal.tillRequests(of: "zvt", newest: 10, since: Self.later)
        #expect(found.map(\.request.name) == ["sale", "refund", "capture"])
        #expect(found.map(\.attempt?.id) == [sale.attempt.id, refund.attempt.id, sale.attempt.id])
    }

    @Test func `a change keeps the attempt, and the note and ending unless there are new ones`() throws {
        let database = try TemporaryDatabase()
        let journal = try journal(database)
        try journal.keep(Self.request("zvt-1", note: #"{"a":1}"#), hasNewNote: true)
        let entry = try begin(journal, for: "zvt-1")
        try journal.keep(Self.request("zvt-1", ending: "approved"), hasNewNote: false)
        var confirmed = Self.request("zvt-1")
        confirmed.isConfirmed = true
        try journal.keep(confirmed, hasNewNote: false)
        let (request, attempt) = try #require(try journal.tillRequest("zvt-1"))
        #expect(request.note == #"{"a":1}"# && request.ending == "approved" && request.isConfirmed)
        #expect(attempt?.id == entry.attempt.id)
    }

    @Test func `the same request under its name is the same record, and another one is refused and changes nothing`()
        throws
    {
        let database = try TemporaryDatabase()
        let journal = try journal(database)
        try journal.keep(Self.request("zvt-1", note: #"{"a":1}"#), hasNewNote: true)
        let entry = try begin(journal, for: "zvt-1")
        let first = try #require(try journal.tillRequest("zvt-1")).request
        let others = [
            TillRequest(
                name: "zvt-1", protocolName: "zvt", request: #"{"kind":"refund"}"#, note: #"{"a":2}"#,
                ending: "approved", isConfirmed: true, at: Self.later),
            TillRequest(
                name: "zvt-1", protocolName: "nexo", request: #"{"kind":"payment"}"#, note: #"{"a":2}"#, at: Self.later),
        ]
        for other in others {
            #expect(throws: JournalError.requestNameTaken("zvt-1")) { try journal.keep(other, hasNewNote: true) }
        }
        #expect(try journal.tillRequest("zvt-1")?.request == first)
        try journal.keep(Self.request("zvt-1", ending: "approved"), hasNewNote: false)
        let (again, attempt) = try #require(try journal.tillRequest("zvt-1"))
        #expect(again.id == first.id && again.ending == "approved" && attempt?.id == entry.attempt.id)
        #expect(try journal.tillRequests(of: "zvt", newest: 10, since: Self.later).count == 1)
    }

    @Test func `all requests since a moment come, also when they are more than the newest`() throws {
        let database = try TemporaryDatabase()
        let journal = try journal(database)
        for number in 1...5 {
            try journal.keep(
                TillRequest(
                    name: "zvt-\(number)", protocolName: "zvt", request: "{}", note: "{}",
                    at: Self.noon.advanced(by: .seconds(number))), hasNewNote: true)
        }
        let since = Self.noon.advanced(by: .seconds(3))
        let newest = try journal.tillRequests(of: "zvt", newest: 2, since: since)
        #expect(newest.map(\.request.name) == ["zvt-3", "zvt-4", "zvt-5"])
        #expect(try journal.tillRequests(of: "zvt", newest: 4, since: since).count == 4)
    }

    @Test func `the last end of a kind is found behind any number of requests, of any protocol`() throws {
        let database = try TemporaryDatabase()
        let journal = try journal(database)
        #expect(try journal.lastTillRequest(of: "end of day", ending: "done") == nil)
        for (number, (kind, ending)) in [
            ("end of day", "done"), ("end of day", "done"), ("end of day", "failed internalError"),
            ("payment", "approved"),
        ].enumerated() {
            try journal.keep(
                TillRequest(
                    name: "request \(number)", protocolName: number == 0 ? "nexo" : "zvt",
                    request: #"{"kind":"\#(kind)"}"#, note: "{}", ending: ending,
                    at: Self.noon.advanced(by: .seconds(number))), hasNewNote: true)
        }
        #expect(
            try journal.lastTillRequest(of: "end of day", ending: "done") == Self.noon.advanced(by: .seconds(1)))
    }

    @Test func `the newest requests come oldest first, and those of other protocols do not`() throws {
        let database = try TemporaryDatabase()
        let journal = try journal(database)
        for number in 1...5 { try journal.keep(Self.request("zvt-\(number)"), hasNewNote: true) }
        try journal.keep(
            TillRequest(name: "n", protocolName: "nexo", request: "{}", note: "{}", at: Self.noon), hasNewNote: true)
        let newest = try journal.tillRequests(of: "zvt", newest: 2, since: Self.later)
        #expect(newest.map(\.request.name) == ["zvt-4", "zvt-5"])
    }

    @Test func `a request is never deleted, and one that is no JSON is not kept`() throws {
        let database = try TemporaryDatabase()
        let journal = try journal(database)
        #expect(throws: JournalError.self) {
            try journal.keep(
                TillRequest(name: "x", protocolName: "zvt", request: "no JSON", note: "{}", at: Self.noon),
                hasNewNote: true)
        }
        try journal.keep(Self.request("zvt-1"), hasNewNote: true)
        #expect(throws: (any Error).self) { try database.execute("DELETE FROM tillRequest") }
        #expect(try journal.tillRequest("zvt-1") != nil && journal.tillRequest("x") == nil)
    }
}
