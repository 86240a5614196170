import Foundation
import ScenarioFormat
import ScenarioRunner

/// The repository, where the library and the documents are.
let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized

/// The results of the scenarios of a text.
func results(
    _ text: String, path: String = "shop/test.yaml", runner: ScenarioRunner = ScenarioRunner(),
    selection: ScenarioSelection = ScenarioSelection()
) async throws -> [ScenarioResult] {
    let found = try ScenarioFile.scenarios(text: text, path: path).map {
        ScenarioFinder.Found(name: "shop/\($0.name)", scenario: $0)
    }
    return await runner.run(selection.runs(of: found), seed: selection.seed).scenarios
}

/// A scenario of one payment, with these lines beside its step and at its end.
func payment(_ world: String = "", step: String = "{}", end: String = "{}") -> String {
    """
    template_version: 1
    description: A payment
    steps:
      - connect
      - pay: 12.50
        expect: \(step)
    expect: \(end)
    \(world)

    """
}

/// A folder that goes away again.
final class ScratchFolder: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "scenarios-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    func write(_ text: String, to name: String) throws {
        let url = URL(fileURLWithPath: path).appending(path: name)
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try text.write(to: url, atomically: true, encoding: .utf8)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
