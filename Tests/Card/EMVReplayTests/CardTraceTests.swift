import Determinism
import EMVReplay
import Money
import Settings
import SmartCard
import Testing

struct CardTraceTests {
    static let select = #"{"c":"00A4040007A0000000031010","r":"6F009000"}"#

    private func failure(_ text: String) -> SettingsError? {
        do throws(SettingsError) {
            _ = try CardTrace(jsonLines: text, file: "card.jsonl")
            return nil
        } catch {
            return error
        }
    }

    @Test func `each line is a command and its answer`() throws {
        let trace = try CardTrace(jsonLines: Self.select + "\n\n" + Self.select, file: "card.jsonl")

        #expect(trace.exchanges.map(\.line) == [1, 3])
        #expect(trace.exchanges.first?.command.data == [0xA0, 0, 0, 0, 3, 0x10, 0x10])
        #expect(trace.exchanges.first?.response.status == .success)
    }

    @Test func `the header gives date, amount and unpredictable number`() throws {
        let header =
            #"{"date":"2025-05-06","time":"12:30:59","amount":"12.50","currency":"EUR","unpredictableNumber":"8B55633B"}"#
        let trace = try CardTrace(jsonLines: header + "\n" + Self.select, file: "card.jsonl")

        #expect(
            trace.header.date == CivilDate(year: 2025, month: 5, day: 6, hour: 12, minute: 30, second: 59))
        #expect(trace.header.amount?.description == "12.50 EUR")
        #expect(trace.header.unpredictableNumber == [0x8B, 0x55, 0x63, 0x3B])
    }

    @Test func `T=0 responses in pieces are combined`() throws {
        let trace = try CardTrace(
            jsonLines: """
                {"c":"80A80000028300","r":"6110"}
                {"c":"00C0000010","r":"800E3C00080202001001020018010201"}
                {"c":"00B2020C00","r":"6C04"}
                {"c":"00B2020C04","r":"700200009000"}
                """, file: "card.jsonl")

        #expect(trace.exchanges.count == 2)
        #expect(trace.exchanges.first?.response.bytes.count == 16)
        #expect(trace.exchanges.last?.response.bytes == [0x70, 0x02, 0, 0, 0x90, 0x00])
    }

    @Test(arguments: [
        ("", 1), ("{}\n{}", 2), (select + "\n{\"c\":\"00A4\",\"r\":\"9000\"}", 2),
        (select + "\n{\"c\":\"00A40400\"}", 2),
        (select + "\n{\"c\":\"0G\",\"r\":\"9000\"}", 2), (select + "\n[1", 2), (select + "\n{\"a\":1}", 2),
        ("{\"date\":\"2025-5-6\"}\n" + select, 1), ("{\"amount\":\"1.00\"}\n" + select, 1),
        (select + "\n{\"c\":\"00B2010C00\",\"e\":\"the card was pulled out\"}", 2),
    ])
    func `a line that cannot be read is named`(_ text: String, line: Int) {
        #expect(failure(text)?.location.line == line)
    }

    @Test func `a masked trace is refused, and no error repeats its bytes`() {
        let error = failure(#"{"c":"00B2010C00","r":"700A5A08476173******01199000"}"#)

        #expect(error?.description.contains("masked") == true)
        #expect(error?.description.contains("476173") == false)
    }

    @Test func `no bytes make the parser trap`() {
        let good = #"{"c":"00B2010C00","r":"70025A009000"}"#
        for length in 0...good.utf8.count {
            _ = failure(String(decoding: good.utf8.prefix(length), as: UTF8.self))
        }
        var bytes = Array(good.utf8)
        let random = SeededRandomSource(seed: 1)
        for _ in 0..<300 {
            bytes[Int(random.number(in: 0...UInt32(bytes.count - 1)))] = random.bytes(1)[0]
            _ = failure(String(decoding: bytes, as: UTF8.self))
        }
    }
}
