import Foundation
import TestPostgreSQL
import Testing

/// The page of `fleet serve`
@Suite(.enabled(if: TemporaryPostgreSQL.isUsed, Comment(rawValue: TemporaryPostgreSQL.missing)), .ownThread)
struct FleetPageTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    static let hasChromium = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].contains {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    /// Whether pages must be tested: the gate says so.
    static let mustTestPages = ProcessInfo.processInfo.environment["CARDPRESENT_CONSOLE_CHECK"] != nil

    @Test(.enabled(if: hasChromium || mustTestPages, "Chromium is not installed: 'Scripts/setup browser' does it"))
    func `a manager and a clerk see their lanes, payments, totals, and settlements, without barriers`() throws {
        let root = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../../..").standardizedFileURL
        let script = root.appendingPathComponent("Scripts/console").path
        // The script has a limit for each of its steps. This one is for all of them, beside other tests.
        let result = try Child(
            program: script, ["--fleet"] + (Self.mustTestPages ? ["--check"] : []), in: scratch,
            environment: ["CARDPRESENT": Program.path]
        ).result(within: 1_800_000)
        #expect(result.status == 0, "\(result.output)\(result.error)")
    }
}
