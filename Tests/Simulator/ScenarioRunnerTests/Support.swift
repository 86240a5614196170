import Foundation
import ScenarioFormat
import ScenarioRunner

/// The repository, where the library and the documents are.
let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardized

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

/// Results made by hand, for what reports make of them.
enum Results {
    static func result(
        _ name: String, _ status: ScenarioResult.Status = .passed, expectedFailure: String? = nil,
        milliseconds: Int64 = 1500, mismatches: [Mismatch] = [], events: [String] = []
    ) -> ScenarioResult {
        ScenarioResult(
            name: name, file: "shop/\(name).yaml", line: 3, description: "What \(name) shows", tags: ["shop"], seed: 7,
            status: status, expectedFailure: expectedFailure, virtualMilliseconds: milliseconds,
            mismatches: mismatches, lastEvents: events, events: nil,
            replay: "cardpresent simulate run shop/\(name).yaml --seed 7")
    }

    static let declined = Mismatch(
        step: 2, action: "pay 12.50 USD", key: "outcome", file: "shop/pay.yaml", line: 9, expected: ["approved"],
        seen: ["declined"])

    /// Text that must not break XML, TAP, or Markdown.
    static let nasty = "a<b>&\"'#\\\u{1}\u{1B}[31m|%,:\n]]>\u{FFFE}"

    static let report = RunReport(
        seed: 7,
        results: [
            result("approve/visa"),
            result(
                "approve/amex", .failed, mismatches: [declined], events: ["0.000 s  step connect", "1.000 s  waiting"]),
            result("decline/lost", .failedAsExpected, expectedFailure: "the reader is not there yet"),
            result("decline/stolen", .passedUnexpectedly, expectedFailure: "it was thought so"),
        ])

    static let nastyReport = RunReport(
        seed: 7,
        results: [
            result(
                "odd/\(nasty)", .failed,
                mismatches: [
                    Mismatch(key: "receipt", file: "odd,%.yaml", line: 1, expected: [nasty], seen: [nasty, "more"])
                ], events: [nasty])
        ])
}
