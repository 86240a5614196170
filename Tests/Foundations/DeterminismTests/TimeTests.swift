import Determinism
import Testing

struct TimeTests {
    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (1_767_355_200_000, "2026-01-02T12:00:00.000Z"),
            (951_782_399_999, "2000-02-28T23:59:59.999Z"), (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (951_868_800_000, "2000-03-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
            (-2_203_891_200_000, "1900-03-01T00:00:00.000Z"), (4_107_542_399_000, "2100-02-28T23:59:59.000Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
        ] as [(Int64, String)])
    func `moments are written in UTC`(milliseconds: Int64, text: String) {
        #expect(Timestamp(milliseconds: milliseconds).description == text)
    }

    @Test func `the clock on the wall is east or west of UTC`() {
        let moment = VirtualTimeSource.standardStart
        #expect(moment.civil(offsetSeconds: 12 * 3600) == CivilDate(year: 2026, month: 1, day: 3))
        #expect(
            moment.civil(offsetSeconds: -43_201)
                == CivilDate(year: 2026, month: 1, day: 1, hour: 23, minute: 59, second: 59))
        let clock = VirtualTimeSource(offsetSeconds: 3600)
        #expect(clock.localDate().hour == 13)
    }

    @Test func `time has ends and does not wrap`() {
        let end = Timestamp(milliseconds: .max)
        #expect(end.advanced(by: .milliseconds(1)) == end)
        #expect(Timestamp(milliseconds: 0).advanced(by: .seconds(Int64.max)) == end)
        #expect(Timestamp(milliseconds: .min).advanced(by: .seconds(-1)).milliseconds == .min)
        #expect(Timestamp(milliseconds: 5).advanced(by: .milliseconds(-7)).milliseconds == -2)
        #expect(!Timestamp(milliseconds: .min).description.isEmpty)
        #expect(!end.description.isEmpty)
    }

    @Test func `virtual time moves when a task waits, and only forward`() async throws {
        let clock = VirtualTimeSource()
        try await clock.sleep(for: .seconds(90))
        #expect(clock.now() == VirtualTimeSource.standardStart.advanced(by: .seconds(90)))
        clock.advance(by: .seconds(-5))
        clock.advance(to: VirtualTimeSource.standardStart)
        #expect(clock.now() == VirtualTimeSource.standardStart.advanced(by: .seconds(90)))
        clock.advance(to: VirtualTimeSource.standardStart.advanced(by: .seconds(100)))
        #expect(clock.now() == VirtualTimeSource.standardStart.advanced(by: .seconds(100)))
    }

    @Test func `waits of less than a millisecond add up`() async throws {
        let clock = VirtualTimeSource(start: Timestamp(milliseconds: 0))
        for _ in 0..<10 { try await clock.sleep(for: .microseconds(300)) }
        #expect(clock.now().milliseconds == 3)
    }

    @Test func `a canceled wait ends with an error and does not move the clock`() async {
        let clock = VirtualTimeSource()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await clock.sleep(for: .seconds(1))
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(clock.now() == VirtualTimeSource.standardStart)
    }

    @Test func `the system's clock is later than this test`() {
        #expect(SystemTimeSource().now() > VirtualTimeSource.standardStart)
    }
}
