import Determinism
import Money
import Testing
import Text

@testable import Fleet

@Suite struct SettlementTests {
    private static let headings = Settlement.headings.joined(separator: ",") + "\n"

    private func key(_ lane: String, brand: String = "visa") -> TotalKey {
        TotalKey(shop: "harbor", lane: lane, day: "2026-01-02", brand: brand, currency: .usDollar)
    }

    private func total(_ sales: Int64, _ amount: Int64, refunds: Int64 = 0, _ refunded: Int64 = 0) -> DayTotal {
        DayTotal(sales: sales, salesAmount: amount, refunds: refunds, refundsAmount: refunded)
    }

    @Test(arguments: ["=cmd|' /C calc'!A0", "'=1", "'till'", "@x", "-"])
    func `a lane whose name looks like a formula is the same lane after a report`(_ lane: String) throws {
        let row = ["harbor", lane, "2026-01-02", "visa", "USD", "1", "1.00", "0", "0.00"]
        let settlement = try Settlement(CommaSeparatedText.text([Settlement.headings, row]))
        #expect(settlement.totals == [key(lane): total(1, 100)])
    }

    @Test func `a file has a total for each line, quoted or not`() throws {
        let settlement = try Settlement(
            "\u{FEFF}" + Self.headings
                + "harbor,\"till \"\"1\"\"\",2026-01-02,VISA,usd,2,12.50,1,2.5\r\nharbor,a,2026-01-05,,USD,0,0,0,0\n\n")
        #expect(settlement.totals[key("till \"1\"")] == total(2, 1250, refunds: 1, 250))
        #expect(settlement.days == "2026-01-02"..."2026-01-05")
        #expect(try Settlement(Self.headings).days == nil)
    }

    @Test func `sums have more digits than an amount to pay`() throws {
        let total = total(3_000_000, 1_234_567_890_123_456, refunds: 1, 999_999_999_999_999)
        let settlement = Settlement([key("a"): total])
        #expect(try Settlement(settlement.text).totals == [key("a"): total])
        for amount in ["92233720368547758.08", "1e3", "-1", "+1", " 1", ".", "1.", "1,0"] {
            let text = Self.headings + "harbor,a,2026-01-02,visa,USD,1,\"\(amount)\",0,0\n"
            #expect(throws: FleetError.self, "\(amount)") { try Settlement(text) }
        }
    }

    @Test func `names are compared by their bytes`() throws {
        let (one, other) = (key("Caf\u{E9}"), key("Cafe\u{301}"))
        #expect(one != other)
        #expect(Set([one, other]).count == 2)
        #expect((one < other) != (other < one))
        let text = Settlement([one: total(1, 100), other: total(1, 200)]).text
        #expect(try Settlement(text).totals.count == 2)
    }

    @Test(arguments: [
        ("", 1), ("shop,lane\n", 1), (headings + "harbor,a,2026-01-02,visa,USD,1,1.00,0\n", 2),
        (headings + "harbor,a,2026-13-02,visa,USD,1,1.00,0,0\n", 2),
        (headings + "harbor,a,2026-01-02,visa,XYZ,1,1.00,0,0\n", 2),
        (headings + "harbor,a,2026-01-02,visa,USD,-1,1.00,0,0\n", 2),
        (headings + "harbor,a,2026-01-02,visa,USD,1,1.005,0,0\n", 2),
        (headings + "\nharbor,\"a,2026-01-02,visa,USD,1,1.00,0,0\n", 3),
        (headings + "harbor,\"a\"b,2026-01-02,visa,USD,1,1.00,0,0\n", 2),
        (headings + String(repeating: "harbor,a,2026-01-02,visa,USD,1,1.00,0,0\n", count: 2), 3),
    ])
    func `a line that can't be read is named`(_ text: String, _ line: Int) {
        let error = #expect(throws: FleetError.self) { try Settlement(text) }
        guard case .malformedSettlement(line, _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `differences have the names of what differs, in order`() {
        let ours = [key("a"): total(1, 100), key("b"): total(2, 300), key("c"): total(1, 5)]
        let theirs = [key("a"): total(1, 100), key("b"): total(2, 200), key("d"): total(1, 7)]
        let found = TotalDifference.between(ours, and: theirs)
        #expect(found.map(\.key.lane) == ["b", "c", "d"])
        #expect(found.map(\.kind) == [.differs, .notSettled, .notTaken])
        #expect(TotalDifference.between(ours, and: ours).isEmpty)
    }

    @Test func `pauses double up to the longest, and chance shortens them by half at most`() {
        let options = ShippingOptions(firstRetry: .milliseconds(100), longestRetry: .seconds(1))
        for failures in 1...40 {
            let whole = min(Duration.seconds(1), .milliseconds(100 * (1 << min(failures - 1, 4))))
            let pause = options.retryPause(failures, SeededRandomSource(seed: UInt64(failures)))
            #expect(pause <= whole && pause >= whole / 2)
        }
    }
}
