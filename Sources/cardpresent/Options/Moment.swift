internal import ArgumentParser
internal import Determinism

/// A moment as it is given on the command line: `2026-01-02`, or with a time, `2026-01-02T15:04:05Z`. Without an
/// offset it is UTC.
struct Moment: ExpressibleByArgument, Hashable, Sendable {
    let timestamp: Timestamp

    init?(argument: String) {
        guard let timestamp = Timestamp(argument) ?? CivilDate(argument).map({ Timestamp($0) }) else { return nil }
        self.timestamp = timestamp
    }
}
