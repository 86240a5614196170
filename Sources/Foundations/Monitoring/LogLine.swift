public import Determinism
import Text

/// The form of a log.
public enum LogFormat: String, Hashable, Sendable, CaseIterable {
    /// An object on each line.
    case json
    /// `key=value` pairs.
    case logfmt
    /// A line for people.
    case text
}

/// The severity of a log line.
public enum LogLevel: String, Hashable, Sendable, CaseIterable { case info, warning, error }

/// One line of a log: a moment, a severity, a fixed message, and typed fields.
///
/// A line has no free text from outside: its message is a word of the program, and its fields are numbers, words, and
/// names that the program chose. Card data has no place in it.
public struct LogLine: Hashable, Sendable {
    /// The value of a field.
    public enum Value: Hashable, Sendable {
        case number(Int64)
        /// Milliseconds with three decimals.
        case time(Duration)
        /// A word or name of the program.
        case word(String)
    }

    public let moment: Timestamp
    public let level: LogLevel
    /// The event, as a word: `request`.
    public let message: String
    /// In the order of the line.
    public let fields: [(name: String, value: Value)]

    /// Takes a fixed message, and what varies as fields, in order.
    public init(
        _ message: String, _ level: LogLevel = .info, at moment: Timestamp, _ fields: [(name: String, value: Value)]
    ) {
        (self.message, self.level, self.moment, self.fields) = (message, level, moment, fields)
    }

    public static func == (first: LogLine, second: LogLine) -> Bool {
        first.text(.json) == second.text(.json)
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(text(.json)) }

    /// Returns the line without its end. It never has a line break, whatever the fields are.
    public func text(_ format: LogFormat) -> String {
        switch format {
        case .json:
            JSONValue.object(
                [
                    JSONValue.Member("time", .text(moment.description)),
                    JSONValue.Member("level", .text(level.rawValue)),
                    JSONValue.Member("msg", .text(message)),
                ] + fields.map { JSONValue.Member($0.name, $0.value.json) }
            ).jsonText
        case .logfmt:
            (["time=\(moment)", "level=\(level.rawValue)", "msg=\(Self.bare(message))"]
                + fields.map { "\($0.name)=\(Self.bare($0.value.text))" }).joined(separator: " ")
        case .text:
            ([moment.description, level.rawValue, Self.bare(message)]
                + fields.map { "\($0.name) \(Self.bare($0.value.text))" }).joined(separator: "  ")
        }
    }

    /// A text as it is when it is a word, otherwise in quotation marks.
    private static func bare(_ text: String) -> String {
        let isWord =
            !text.isEmpty && text.unicodeScalars.allSatisfy { $0.value > 0x20 && $0 != "\"" && $0 != "=" && $0 != "\\" }
        return isWord ? text : JSONValue.text(text).jsonText
    }
}

extension LogLine.Value {
    fileprivate var json: JSONValue {
        switch self {
        case .number(let number): JSONValue(number)
        case .time: .number(text)
        case .word(let word): .text(word)
        }
    }

    fileprivate var text: String {
        switch self {
        case .number(let number): return String(number)
        case .time(let duration):
            let (seconds, attoseconds) = max(.zero, duration).components
            let microseconds = seconds.multipliedReportingOverflow(by: 1_000_000)
            guard !microseconds.overflow else { return String(Int64.max) }
            let rest = attoseconds / 1_000_000_000_000
            let (sum, overflow) = microseconds.partialValue.addingReportingOverflow(rest)
            return overflow ? String(Int64.max) : "\(sum / 1000).\((sum % 1000).zeroPadded(to: 3))"
        case .word(let word): return word
        }
    }
}
