import Determinism
import Testing

/// Days, weeks and months of the calendar.
struct CivilDaysTests {
    @Test(arguments: [
        ("1970-01-01", 0, 4), ("1969-12-31", -1, 3), ("2000-02-29", 11_016, 2), ("2026-11-22", 20_779, 7),
        ("0001-01-01", -719_162, 1), ("9999-12-31", 2_932_896, 5),
    ])
    func `days are counted from the epoch, and know their weekday`(day: String, number: Int, weekday: Int) throws {
        let date = try #require(CivilDate(day))
        #expect(date.dayNumber == number)
        #expect(date.weekday == weekday)
        #expect(CivilDate(dayNumber: number) == date)
    }

    /// The examples of ISO 8601 for years that begin in the middle of a week.
    @Test(arguments: [
        ("2005-01-01", 2004, 53), ("2005-01-02", 2004, 53), ("2005-12-31", 2005, 52), ("2007-01-01", 2007, 1),
        ("2007-12-31", 2008, 1), ("2008-12-29", 2009, 1), ("2010-01-03", 2009, 53), ("2026-06-15", 2026, 25),
    ])
    func `a week belongs to the year of its Thursday`(day: String, year: Int, number: Int) throws {
        let week = try #require(CivilDate(day)).week
        #expect(week.year == year)
        #expect(week.number == number)
    }

    @Test func `the time of the day changes neither the day nor its number`() throws {
        let late = try #require(CivilDate("1969-12-31T23:59:59"))
        #expect(late.dayNumber == -1)
        #expect(late.startOfDay == CivilDate("1969-12-31"))
        #expect(late.advanced(days: 1) == CivilDate("1970-01-01"))
        #expect(try #require(CivilDate("2024-02-28")).advanced(days: 2) == CivilDate("2024-03-01"))
        #expect(late.startOfDay.endOfDay == late)
    }

    @Test(arguments: [
        ("2023-02-01", 28), ("2024-02-10", 29), ("1900-02-01", 28), ("2026-04-30", 30), ("2026-12-01", 31),
    ])
    func `a month has its days`(day: String, count: Int) throws {
        #expect(try #require(CivilDate(day)).daysInMonth == count)
    }
}

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
    func `an invalid time is rejected`(text: String) {
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
