internal import ScenarioFormat
internal import SettingsFile

/// The one command that runs a scenario again as it ran.
enum ReplayCommand {
    static func text(_ run: ScenarioSelection.Run) -> String {
        var words = ["cardpresent", "simulate", "run", run.found.scenario.location.file]
        let name = run.found.scenario.name
        if let bracket = name.firstIndex(of: "[") { words += ["--filter", String(name[bracket...])] }
        words += ["--seed", String(run.seed)]
        return words.map(Words.shell).joined(separator: " ")
    }
}
