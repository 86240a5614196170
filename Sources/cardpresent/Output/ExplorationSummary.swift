internal import Explorer

/// What an exploration has found, in words.
enum ExplorationSummary {
    /// What was found, and how fast: `took` is real time.
    static func text(_ report: ExplorationReport, took: Duration) -> String {
        let seconds = took / .seconds(1)
        let rate = seconds > 0 ? Int(Double(report.sessions) / seconds) : 0
        var lines = [
            "\(report.sessions) sessions in \(Int(seconds.rounded())) s, \(rate) a second, seed \(report.seed)",
            "\(report.stateCount) states covered: "
                + report.coverage.map { "\(name($0.group)) \($0.states)" }.joined(separator: ", "),
            "growth: " + milestones(report.growth).map { "\($0.states) after \($0.sessions)" }.joined(separator: ", ")
                + "; \(report.fresh.newStates) by \(report.fresh.sessions) new sessions, "
                + "\(report.variations.newStates) by \(report.variations.sessions) variations",
        ]
        if report.refused > 0 { lines.append("\(report.refused) sessions could not begin") }
        if report.unreadable > 0 { lines.append("\(report.unreadable) drafts were no scenarios") }
        lines.append(
            report.failures.isEmpty
                ? "nothing is broken"
                : "\(report.failures.count) broken, seen \(report.failures.count + report.repetitions) times")
        return lines.joined(separator: "\n") + "\n"
    }

    static func text(_ failure: FoundFailure, folder: String) -> String {
        let file = "\(folder)/\(failure.fileName)"
        return """

            BROKEN \(failure.invariant.rawValue): \(failure.detail)
              session \(failure.session.map(String.init) ?? "-"), seed \(failure.seed), \(failure.stepsBefore) steps, \
            \(failure.steps) after shrinking
              written to \(file)
              judged again by: cardpresent simulate explore --replay \(file)
              played by:       cardpresent simulate run \(file)

            """
    }

    /// The first round, and then every time that the number of sessions has doubled.
    private static func milestones(_ growth: [ExplorationReport.Growth]) -> [ExplorationReport.Growth] {
        var found: [ExplorationReport.Growth] = []
        for point in growth where point.sessions >= (found.last?.sessions ?? 0) * 2 || point == growth.last {
            found.append(point)
        }
        return found
    }

    private static func name(_ group: CoverageGroup) -> String {
        switch group {
        case .faultAtPlace: "faults at places"
        case .journalStep: "steps of the journal"
        case .captureStep: "steps of captures"
        case .outcome: "outcomes"
        case .error: "errors"
        case .kernel: "kernel phases"
        case .exchange: "card exchanges"
        case .issuer: "issuer messages"
        case .store: "store requests"
        case .reader: "reader events"
        case .print: "print states"
        }
    }
}
