import FoundationEssentials
import Money
import ScenarioFormat
import Sessions
import Settings
import Text

/// Formats values for results.
enum Words {
    /// Returns an event with its time: `1.500 s  display APPROVED`.
    static func line(_ event: SessionEvent) -> String { "\(time(event.time))  \(event.text)" }

    /// Returns a time such as `1.500 s`.
    static func time(_ time: Duration) -> String {
        let milliseconds = milliseconds(time)
        return milliseconds.decimalText(scale: 3) + " s"
    }

    /// Returns an amount such as `11.50 USD`, also a negative one; minor units for an unknown currency.
    static func amount(_ minorUnits: Int64, _ currency: String) -> String {
        guard let known = try? Currency(code: currency) else { return "\(minorUnits) minor units of \(currency)" }
        return minorUnits.decimalText(scale: known.exponent) + " " + known.code
    }

    static func milliseconds(_ time: Duration) -> Int64 {
        let (seconds, attoseconds) = time.components
        let (whole, overflows) = seconds.multipliedReportingOverflow(by: 1000)
        return overflows ? (seconds < 0 ? .min : .max) : whole + attoseconds / 1_000_000_000_000_000
    }

    /// Returns a word of a command line, quoted if the shell needs it.
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

/// The golden file of a scenario: in the folder `golden` beside the scenario, named after the case.
struct GoldenFile {
    let path: String

    private static let largest = 4 << 20

    init(of scenario: Scenario) {
        let file = scenario.location.file
        let folder = file.lastIndex(of: "/").map { file[...$0] } ?? ""
        // A slash in the name would be a subfolder.
        path = folder + "golden/" + scenario.name.replacing("/", with: "_") + ".txt"
    }

    /// Returns the lines of the file; nil when it does not exist or is not text.
    func lines() -> [String]? {
        guard let data = try? Data(contentsOf: URL(fileURLWithPath: path)), data.count <= Self.largest,
            let text = String(validating: data, as: UTF8.self)
        else { return nil }
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if lines.last?.isEmpty == true { lines.removeLast() }
        return lines
    }

    /// Writes the file; creates its folder if needed.
    func write(_ lines: [String]) throws {
        let url = URL(fileURLWithPath: path)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: url, options: .atomic)
    }
}

/// The part of a session that an expectation covers: a step, or all of it.
struct ExpectationScope: Sendable {
    /// The number of events before this part.
    var firstEvent: Int
    /// The duration on the virtual clock.
    var elapsed: Duration
    /// The outcome of the step, or of the last step that had one.
    var outcome: StepOutcome
}
