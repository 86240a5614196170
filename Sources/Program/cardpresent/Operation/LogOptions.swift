public import ArgumentParser
internal import Monitoring

/// The log of a command that serves.
struct LogOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Write a line to stderr for each request: json, logfmt, or text.",
            discussion: "Lines have a time in UTC and typed fields, never contents. The journal of systemd takes them.",
            valueName: "format"))
    var log: LogFormat?

    /// Writes a line; nil without a log.
    var writer: (@Sendable (LogLine) -> Void)? {
        guard let log else { return nil }
        return { StandardError.write($0.text(log) + "\n") }
    }
}

extension LogFormat: ExpressibleByArgument {}
