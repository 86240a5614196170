/// What GitHub Actions shows of a run: a summary under the job, and annotations at the lines of the files.
public enum GitHubReport {
    /// GitHub shows at most ten annotations of a step.
    static let mostAnnotations = 10

    /// Commands for the standard output, one a line; empty when nothing failed.
    public static func annotations(_ report: RunReport) -> String {
        let failures = report.failures
        var text = ""
        for result in failures.prefix(mostAnnotations) {
            let first = result.mismatches.first
            text += "::error file=\(property(first?.file ?? result.file)),line=\(first?.line ?? result.line),"
            text += "title=\(property(result.name))::\(message((result.reason ?? "") + "\n" + result.replay))\n"
        }
        return text
    }

    /// Markdown for the file that `GITHUB_STEP_SUMMARY` names.
    public static func summary(_ report: RunReport) -> String {
        var text = "### \(report.hasFailed ? "❌" : "✅") \(report.sentence)\n\nSeed \(report.seed)\n\n"
        text += "| group | passed | failed | as expected |\n|---|---:|---:|---:|\n"
        for group in report.groups {
            let passed = group.results.count { $0.status == .passed }
            let asExpected = group.results.count { $0.status == .failedAsExpected }
            text += "| \(cell(group.name)) | \(passed) | \(group.results.count(where: \.isFailure)) | \(asExpected) |\n"
        }
        for result in report.failures {
            text += "\n<details><summary><b>\(html(result.name))</b>: \(html(result.reason ?? ""))</summary>\n\n<pre>"
            text += html(FailureText.text(result)) + "</pre>\n</details>\n"
        }
        return text
    }

    private static func message(_ text: String) -> String {
        text.replacing("%", with: "%25").replacing("\r", with: "%0D").replacing("\n", with: "%0A")
    }

    private static func property(_ text: String) -> String {
        message(text).replacing(":", with: "%3A").replacing(",", with: "%2C")
    }

    private static func cell(_ text: String) -> String { html(text).replacing("|", with: "\\|") }

    private static func html(_ text: String) -> String { JUnitReport.escaped(text).replacing("&#10;", with: "\n") }
}
