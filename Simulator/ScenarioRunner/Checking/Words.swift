internal import Sessions

/// How values are written in results.
enum Words {
    /// An event with its time: `1.500 s  display APPROVED`.
    static func line(_ event: SessionEvent) -> String { "\(time(event.time))  \(event.text)" }

    /// For example `1.500 s`.
    static func time(_ time: Duration) -> String {
        let milliseconds = milliseconds(time)
        let digits = String(milliseconds.magnitude % 1000)
        let sign = milliseconds < 0 ? "-" : ""
        return "\(sign)\(milliseconds.magnitude / 1000).\(String(repeating: "0", count: 3 - digits.count))\(digits) s"
    }

    static func milliseconds(_ time: Duration) -> Int64 {
        let (seconds, attoseconds) = time.components
        let (whole, overflows) = seconds.multipliedReportingOverflow(by: 1000)
        return overflows ? (seconds < 0 ? .min : .max) : whole + attoseconds / 1_000_000_000_000_000
    }

    /// A word of a command line, in quotes where the shell would read it otherwise.
    static func shell(_ text: String) -> String {
        let isPlain =
            !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "/._-+=:,@%".utf8.contains(byte)
                }
            }
        return isPlain ? text : "'" + text.replacing("'", with: "'\\''") + "'"
    }
}
