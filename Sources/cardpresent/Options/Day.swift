internal import ArgumentParser
internal import Determinism

/// A day as it is given on the command line: `2026-01-02`.
struct Day: ExpressibleByArgument, Hashable, Sendable {
    let date: CivilDate

    init?(argument: String) {
        guard let date = CivilDate(argument), date == date.startOfDay, argument.utf8.count == 10 else { return nil }
        self.date = date
    }
}
