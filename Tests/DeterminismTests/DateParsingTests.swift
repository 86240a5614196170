import Determinism
import Testing

struct DateParsingTests {
    @Test(arguments: [
        ("2026-01-02T03:04:05", "2026-01-02T03:04:05.000Z"), ("2026-01-02 03:04:05", "2026-01-02T03:04:05.000Z"),
        ("2026-01-02T03:04:05.678Z", "2026-01-02T03:04:05.678Z"),
        ("2018-07-18T11:13:16-05:00", "2018-07-18T16:13:16.000Z"),
        ("2024-02-29T00:00:00+0530", "2024-02-28T18:30:00.000Z"), ("1969-12-31T23:59:59Z", "1969-12-31T23:59:59.000Z"),
        ("0001-01-01T00:00:00", "0001-01-01T00:00:00.000Z"), ("2016-12-31T23:59:60Z", "2016-12-31T23:59:59.000Z"),
    ])
    func `a moment is read`(text: String, expected: String) {
        #expect(Timestamp(text)?.description == expected)
    }

    @Test(arguments: [
        "", "2026", "2026-13-01T00:00:00", "2023-02-29T00:00:00", "2026-01-02T24:00:00", "0000-00-00T00:00:00",
        "2026-01-02T03:04", "2026-01-02T03:04:05.", "2026-01-02T03:04:05+", "2026-01-02T03:04:05Zx", "now",
    ])
    func `what is no moment is refused`(text: String) {
        #expect(Timestamp(text) == nil)
    }

    @Test func `days of four centuries are read as they are written`() {
        for day in stride(from: Int64(-80_000), to: 80_000, by: 97) {
            let moment = Timestamp(milliseconds: day * 86_400_000 + 12_345_000)
            #expect(Timestamp(moment.description) == moment)
            #expect(Timestamp(moment.civil(offsetSeconds: 3600), offsetSeconds: 3600) == moment)
        }
    }

    @Test func `a date is read with a time and without`() {
        #expect(CivilDate("2019-07-09")?.description == "2019-07-09T00:00:00")
        #expect(CivilDate("2019-07-09 08:30:01")?.description == "2019-07-09T08:30:01")
        #expect(CivilDate("2019-07-09")?.dayText == "2019-07-09")
        #expect(CivilDate("2019-07-09Z") == nil)
        #expect(CivilDate("2019-7-9") == nil)
    }
}
