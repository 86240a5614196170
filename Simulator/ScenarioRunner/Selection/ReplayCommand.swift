internal import ScenarioFormat
internal import SettingsFile

/// The one command that runs a scenario again as it ran; for one in code, where it is and its seed.
enum ReplayCommand {
    static func text(_ run: ScenarioSelection.Run) -> String {
        if run.found.scenario.origin == .code { return "\(run.found.scenario.location) with seed \(run.seed)" }
        var words = ["cardpresent", "simulate", "run", run.found.scenario.location.file]
        let name = run.found.scenario.name
        if let bracket = name.firstIndex(of: "[") { words += ["--filter", String(name[bracket...])] }
        words += ["--seed", String(run.seed)]
        return words.map(Words.shell).joined(separator: " ")
    }
}
