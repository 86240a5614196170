import Determinism
import Testing

@testable import Monitoring

@Suite struct LogLineTests {
    private let line = LogLine(
        "request", .warning, at: Timestamp(milliseconds: 1_767_355_200_042),
        [
            ("id", .word("r1")), ("status", .number(503)), ("milliseconds", .time(.microseconds(1250))),
            ("route", .word("/v1/a b")), ("odd", .word("a\"b\\c\nd")),
        ])

    @Test func `a line is JSON, logfmt, or text`() {
        #expect(
            line.text(.json)
                == #"{"time":"2026-01-02T12:00:00.042Z","level":"warning","msg":"request","id":"r1","status":503,"#
                + #""milliseconds":1.250,"route":"/v1/a b","odd":"a\"b\\c\nd"}"#)
        #expect(
            line.text(.logfmt)
                == #"time=2026-01-02T12:00:00.042Z level=warning msg=request id=r1 status=503 milliseconds=1.250 "#
                + #"route="/v1/a b" odd="a\"b\\c\nd""#)
        #expect(
            line.text(.text)
                == #"2026-01-02T12:00:00.042Z  warning  request  id r1  status 503  milliseconds 1.250  "#
                + #"route "/v1/a b"  odd "a\"b\\c\nd""#)
    }

    @Test(arguments: LogFormat.allCases)
    func `no field breaks a line`(_ format: LogFormat) {
        #expect(!line.text(format).contains("\n"))
        let empty = LogLine("", at: Timestamp(milliseconds: 0), [("a", .word(""))])
        #expect(!empty.text(format).contains("\n"))
    }

    @Test(
        arguments: [
            (.zero, "0.000"), (.milliseconds(-5), "0.000"), (.seconds(61), "61000.000"), (.nanoseconds(1999), "0.001"),
        ] as [(Duration, String)])
    func `a time has milliseconds with three decimals`(_ time: Duration, _ text: String) {
        #expect(LogLine("a", at: Timestamp(milliseconds: 0), [("t", .time(time))]).text(.logfmt).hasSuffix("t=\(text)"))
    }
}
