internal import FoundationEssentials
internal import ScenarioFormat
internal import SettingsFile

/// The file with what a scenario has to show as a whole: beside it, in `golden`, by the name of its case.
struct GoldenFile {
    let path: String

    private static let largest = 4 << 20

    init(of scenario: Scenario) {
        let file = scenario.location.file
        let folder = file.lastIndex(of: "/").map { file[...$0] } ?? ""
        // A slash would be another folder.
        path = folder + "golden/" + scenario.name.replacing("/", with: "_") + ".txt"
    }

    /// The lines of the file; nil when there is none, or it is no text.
    func lines() -> [String]? {
        guard let data = try? Data(contentsOf: URL(fileURLWithPath: path)), data.count <= Self.largest,
            let text = String(validating: data, as: UTF8.self)
        else { return nil }
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if lines.last?.isEmpty == true { lines.removeLast() }
        return lines
    }

    /// Writes the file, and makes its folder.
    func write(_ lines: [String]) throws {
        let url = URL(fileURLWithPath: path)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: url, options: .atomic)
    }
}
