import Determinism
import Money
import PostgreSQL
import Storage
import TestPostgreSQL
import Testing

@testable import Fleet

/// Batches with what no records have, and rows that an older back office took from such a batch.
@Suite(.enabled(if: TemporaryPostgreSQL.isUsed, Comment(rawValue: TemporaryPostgreSQL.missing)))
struct UnsoundBatchTests {
    /// Calls `fleet.ship`, and returns all that the server says of an error.
    private static let teller = """
        CREATE FUNCTION public.told(a text, b text, c bigint, d bigint, e bigint, f bigint, g text) RETURNS text
        LANGUAGE plpgsql AS $body$
        DECLARE message text; detail text; hint text;
        BEGIN
            PERFORM fleet.ship(a, b, c, d, e, f, g);
            RETURN 'applied';
        EXCEPTION WHEN OTHERS THEN
            GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
            RETURN SQLSTATE || message || detail || hint;
        END $body$
        """

    @Test(arguments: [
        (#""currency":"USD""#, #""currency":"U$7771""#), (#""amount":777"#, #""amount":7771000000000000"#),
        (#""amount":777"#, #""amount":-7771"#), (#""amount":777"#, #""amount":"7771x""#),
        (#""amount":777"#, #""amount":7.771e30"#), (#""state":"captured""#, #""state":null,"x":7771"#),
        (#""last4":"1119""#, #""last4":"77711""#), (#""k":"payment""#, #""k":"7771""#),
        (#""hostName":"simulated""#, #""hostName":null,"x":7771"#), (#""n":"1-"#, #""n":"7771-"#),
        (#""n":"1-"#, #""n":null,"x":"7771-"#), (#""c":{"#, #""c":"7771","d":{"#), (#""s":1,"#, #""s":"7771x","#),
        ("[{", "[7771,{"), ("[{", "[7771 {"), (#""updatedAt":"#, #""updatedAt":7771000000000000,"z":"#),
        (#""idempotencyKey":"#, #""idempotencyKey":"\#(String(repeating: "7771", count: 1000))","z":"#),
    ])
    func `a batch with what is no row is refused as a whole, and no message has a value`(
        _ change: (from: String, to: String)
    ) async throws {
        let bench = try await FleetBench()
        _ = try await bench.office.run(Statement(Self.teller))
        let lane = try await bench.lane()
        try lane.pay(777)
        let batch = try #require(try lane.outbox.batch(atMost: 500))
        let (json, clock) = (batch.jsonText, FleetBench.time.now().milliseconds)
        #expect(json.contains(change.from))
        let forged = json.replacing(change.from, with: change.to)
        let said: String = try await bench.office.run(
            Statement(
                "SELECT public.told($1, $2, $3, $4, $5, $6, $7) AS said", .text(batch.lane.id),
                .text(batch.secret.revealed()), .integer(batch.lane.epoch), .integer(0),
                .integer(batch.position.written), .integer(clock), .text(forged))
        ).only().value("said")
        #expect(said.hasPrefix("CP018"), "\(said)")
        #expect(!said.contains("777"), "\(said)")
        let error = await failure { _ = try await bench.office.run(batch.statement(clock: clock, forged)) }
        #expect(error == .malformedEntries)
        #expect(error?.isTransient == false)
        #expect(try await bench.number("SELECT count(*) FROM fleet.change") == 0)
        // The lane itself can go on.
        try await bench.ship(lane)
        #expect(try await bench.differences(lane) == 0)
    }

    @Test func `a stored row that can't be read is named, and all others are reported`() async throws {
        let bench = try await FleetBench()
        let lane = try await bench.lane()
        for amount in [100, 200, 300] { try lane.pay(Int64(amount)) }
        try await bench.ship(lane)
        let settled = Settlement(try await bench.office.totals())
        _ = try await bench.office.run(Statement("UPDATE fleet.attempt SET currency = 'QQQ' WHERE amount = 200"))
        _ = try await bench.office.run(Statement("UPDATE fleet.payment SET currency = 'QQQ' WHERE amount = 200"))
        _ = try await bench.office.run(
            Statement("UPDATE fleet.attempt SET amount = 9223372036854775807 WHERE amount = 300"))
        let report = try await bench.office.report()
        #expect(report.totals.values.map(\.salesAmount) == [100])
        #expect(report.unreadable.count == 2)
        #expect(report.unreadable.allSatisfy { $0.lane == "till 1" && $0.description.contains("till 1") })
        let payments = try await bench.office.payments(matching: OfficePaymentFilter())
        #expect(Set(payments.map(\.currencyCode)) == ["USD", "QQQ"])
        let result = try await bench.office.reconcile(settled)
        #expect(result.unreadable.count == 2)
        #expect(result.differences.map(\.kind) == [.differs])
        let unread = try #require(payments.first { $0.currency == nil })
        let shown = try await bench.office.payment(unread.number, of: unread.laneID)
        #expect(shown.attempts.map(\.currencyCode) == ["QQQ"])
    }
}
