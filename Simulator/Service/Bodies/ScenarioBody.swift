import HTTPInterface
import ScenarioFormat

/// The body of a request to play a scenario: the text of its file, which names no other files.
struct ScenarioBody: Sendable {
    let text: String
    /// The name of the file, for names and errors.
    let file: String
    /// The name of the scenario to play; nil for the first one.
    let wanted: String?
    let seed: UInt64

    static let schema = Schema.object([
        Field(
            "text", .phrase(1...longestText),
            "The scenario file as YAML text (docs/scenarios.md), which stands alone: it names no other files and has "
                + "no queries."),
        Field(
            "file", .phrase(1...200), "The name of the file, for names and errors. Default: scenario.yaml.",
            optional: true),
        Field(
            "scenario", .phrase(1...2000), "The name of the scenario to play. Default: the first one of the file.",
            optional: true),
        Field(
            "seed", .integer(0...Int(Int32.max)), "The random seed, unless the scenario has its own. Default: 1.",
            optional: true),
    ])

    /// The longest text, in characters.
    static let longestText = 131_072
    /// The most errors of a text to report.
    private static let mostErrors = 10

    /// - Throws: ``APIError``
    init(_ body: BodyNode) throws(APIError) {
        text = try body.required("text").text(1...Self.longestText)
        file = try body["file"]?.text(1...200) ?? "scenario.yaml"
        wanted = try body["scenario"]?.text(1...2000)
        seed = UInt64(try body["seed"]?.int(0...Int(Int32.max)) ?? 1)
    }

    /// Reads the scenarios of the text.
    ///
    /// - Throws: ``APIError`` with each error, its line, and its key.
    func scenarios() throws(APIError) -> [Scenario] {
        do throws(ScenarioFileError) { return try ScenarioFile.scenarios(alone: text, name: file) } catch {
            var lines = error.errors.prefix(Self.mostErrors).map(ScenarioFileError.line)
            let rest = error.errors.count - lines.count
            if rest > 0 { lines.append("\(rest) more") }
            throw APIError(422, "invalid_scenario", lines.joined(separator: "\n"), path: "text")
        }
    }

    /// Returns the scenario to play.
    ///
    /// - Throws: ``APIError``
    func chosen(among scenarios: [Scenario]) throws(APIError) -> Scenario {
        guard let chosen = wanted.map({ name in scenarios.first { $0.name == name } }) ?? scenarios.first else {
            let wanted = wanted ?? ""
            throw .body(
                "there is no scenario '\(BodyNode.clip(wanted))' in the file", at: "scenario",
                fix: BodyNode.suggestion(wanted, scenarios.map(\.name)))
        }
        return chosen
    }
}
