import Determinism
import ISO8583
import Money
import Payments
import SimulatedTime
import Simulator
import Testing

@testable import Hosts

@Suite("A settlement with a payment host", .simulatedTime)
struct SettlementTests {
    private static let totals = SettlementTotals(
        debits: .init(count: 3, amount: 3750), debitReversals: .init(count: 1, amount: 1250),
        credits: .init(count: 1, amount: 400), creditReversals: .init())

    private func batch(
        _ host: AcquirerHost, _ totals: SettlementTotals = totals, message: Int64 = 1, tries: Int64 = 1
    ) throws -> SettlementBatch {
        SettlementBatch(
            id: 1, place: try #require(host.settlementPlace), number: 42, currency: try Currency(code: "EUR"),
            totals: totals, request: host.settlementIdentity(batch: 42, message: message), message: message,
            tries: tries, openedAt: Timestamp(milliseconds: 0), sentAt: Timestamp(milliseconds: 0))
    }

    @Test(arguments: MessageProfile.shippedNames)
    func `the totals are where every shipped profile has them`(name: String) async throws {
        let acquirer = try TestAcquirer(name)
        let profile = acquirer.world.profile
        guard case .agreed = try await acquirer.host.settle(try batch(acquirer.host)) else {
            Issue.record("the host did not agree")
            return
        }
        let message = try #require(acquirer.messages.first)
        #expect(profile.differences(of: message, from: .settlement).isEmpty)
        #expect(profile.doubts(about: message).isEmpty)
        #expect(message.type == profile.messages[.settlement]?.type)
        if profile.version == .v2003 {
            let data = try #require(message.bytes(of: 74).flatMap { ReconciliationData($0) })
            #expect(data.credits == .init(number: 1, amount: 400) && data.creditReversals == .init())
            #expect(data.debits == .init(number: 3, amount: 3750))
            #expect(data.debitReversals == .init(number: 1, amount: 1250))
            #expect(message.text(of: 97) == "D97820000000000002100")
        } else {
            let expected = [
                50: "978", 74: "0000000001", 75: "0000000000", 76: "0000000003", 77: "0000000001", 80: "0000000000",
                81: "0000000000", 86: "0000000000000400", 87: "0000000000000000", 88: "0000000000003750",
                89: "0000000000001250", 97: "D0000000000002100",
            ]
            for (field, value) in expected { #expect(message.text(of: field) == value, "\(field)") }
        }
        // The batch: field 60 of 1987, and later the day and field 29.
        switch profile.version {
        case .v1987: #expect(message.text(of: 60) == "000042")
        case .v1993: #expect((message.text(of: 28), message.text(of: 29)) == ("260102", "042"))
        case .v2003: #expect((message.text(of: 28), message.text(of: 29)) == ("20260102", "042"))
        }
        #expect(message.text(of: 11) == profile.field11(TraceNumberPlan(profile).network.upperBound))
        #expect(message.fields.allSatisfy { ![2, 14, 35, 52, 55].contains($0) })
    }

    @Test(arguments: MessageProfile.shippedNames)
    func `a repeat differs in its type alone`(name: String) async throws {
        let acquirer = try TestAcquirer(name)
        let first = try batch(acquirer.host)
        _ = try await acquirer.host.settle(first)
        var second = first
        second.tries = 2
        try await acquirer.world.clock.sleep(for: .seconds(100))
        _ = try await acquirer.host.settle(second)
        #expect(acquirer.messages.count == 2)
        var repeated = acquirer.messages[1]
        #expect(repeated.type == acquirer.world.profile.messages[.settlement]?.repeated)
        repeated.type = acquirer.messages[0].type
        #expect(repeated == acquirer.messages[0])
    }

    @Test func `a merchant that gave back more than it sold owes the acquirer`() async throws {
        for (name, text) in [("iso87-ascii", "C0000000000000400"), ("iso2003", "C97820000000000000400")] {
            let acquirer = try TestAcquirer(name)
            let totals = SettlementTotals(credits: .init(count: 1, amount: 400))
            _ = try await acquirer.host.settle(try batch(acquirer.host, totals))
            #expect(acquirer.messages.first?.text(of: 97) == text)
        }
    }

    @Test func `each edition has its codes of a settlement`() async throws {
        let cases: [(profile: String, code: String, word: String)] = [
            ("iso87-ascii", "00", "agreed"), ("iso87-ascii", "95", "differs"), ("iso87-ascii", "58", "refused"),
            ("iso93-ebcdic", "500", "agreed"), ("iso93-ebcdic", "501", "differs"), ("iso93-ebcdic", "904", "refused"),
            ("iso2003", "5000", "agreed"), ("iso2003", "5001", "differs"), ("iso2003", "9004", "refused"),
        ]
        for (profile, code, word) in cases {
            let acquirer = try TestAcquirer(profile, .code(code))
            let found: String
            switch try await acquirer.host.settle(try batch(acquirer.host)) {
            case .agreed(code: code, _, _): found = "agreed"
            case .differs(code: code, _, _): found = "differs"
            case .refused(code: code, _): found = "refused"
            default: found = "another code"
            }
            #expect(found == word, "\(profile) \(code)")
        }
    }

    @Test func `field 66 of 1987 says that the totals differ, and the answer has those of the host`() async throws {
        let fields = [
            66: "2", 74: "0000000001", 75: "0000000000", 76: "0000000004", 77: "0000000001", 86: "0000000000000400",
            87: "0000000000000000", 88: "0000000000005000", 89: "0000000000001250",
        ]
        let acquirer = try TestAcquirer("iso87-bcd-tpdu", .fields(fields))
        var expected = Self.totals
        expected.debits = .init(count: 4, amount: 5000)
        let result = try await acquirer.host.settle(try batch(acquirer.host))
        #expect(result == .differs(code: "00", meaning: "approved", expected))
    }

    @Test func `without an answer the outcome is unknown, and without a connection nothing was sent`() async throws {
        let silent = try TestAcquirer("iso87-ascii", .silence)
        var (failure, batch) = (PaymentHostError?.none, try self.batch(silent.host))
        do throws(PaymentHostError) { _ = try await silent.host.settle(batch) } catch { failure = error }
        guard case .outcomeUnknown = failure else {
            Issue.record("unexpected \(String(describing: failure))")
            return
        }
        let away = try TestAcquirer("iso87-ascii", [.refuse]) { _ in }
        (failure, batch) = (nil, try self.batch(away.host))
        do throws(PaymentHostError) { _ = try await away.host.settle(batch) } catch { failure = error }
        guard case .notSent = failure else {
            Issue.record("unexpected \(String(describing: failure))")
            return
        }
    }

    @Test func `a profile tells why it can't settle`() throws {
        let none = try TestAcquirer("iso87-ascii") { $0.messages[.settlement] = nil }
        #expect(none.host.settlementObstacle(currencies: 1) == .noMessage)
        let single = try TestAcquirer("iso87-ascii") { $0.messages[.settlement]?.mandatory.remove(50) }
        #expect(single.host.settlementObstacle(currencies: 1) == nil)
        #expect(single.host.settlementObstacle(currencies: 2) == .noCurrency)
        for name in MessageProfile.shippedNames {
            let host = try TestAcquirer(name).host
            #expect(host.settlementObstacle(currencies: 2) == nil)
            #expect(host.countsReversed == (name != "iso87-bcd-tpdu"))
        }
    }
}
