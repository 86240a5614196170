import FoundationEssentials
import Text

/// The report of a failed scenario: the expected and actual results, the last events, and the command that repeats it.
public enum FailureText {
    /// Returns lines of text, each with a line break.
    public static func text(_ result: ScenarioResult) -> String {
        var lines = ["\(result.file):\(result.line): \(result.description)"]
        if result.status == .passedUnexpectedly, let reason = result.reason { lines.append(reason) }
        for mismatch in result.mismatches {
            lines.append("\(mismatch.file):\(mismatch.line): \(mismatch.sentence)")
            lines += mismatch.difference.map { "    " + $0 }
        }
        if !result.lastEvents.isEmpty {
            lines.append("the last events:")
            lines += result.lastEvents.map { "    " + $0 }
        }
        lines.append("again: \(result.replay)")
        return lines.joined(separator: "\n") + "\n"
    }
}

/// A run in GitHub Actions: a job summary, and annotations at the lines of the files.
public enum GitHubReport {
    /// GitHub shows at most ten annotations per step.
    static let mostAnnotations = 10

    /// Returns workflow commands for standard output, one per line; empty when nothing failed.
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

    /// Returns Markdown for the file that `GITHUB_STEP_SUMMARY` names.
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

/// A run as one JSON object with sorted keys. It contains no wall-clock time and no number of parallel jobs, so two
/// runs with the same scenarios and seed have the same bytes.
public enum JSONReport {
    /// Returns the report as one JSON value.
    public static func text(_ report: RunReport) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(report), as: UTF8.self) + "\n"
    }
}

/// A run as JUnit XML for build servers. A suite is a folder of scenarios.
///
/// The attribute `time` is in seconds. The property `virtual_time` of each case is its duration on the virtual clock,
/// in seconds, and `seed` is its seed.
public enum JUnitReport {
    /// Returns the report as XML.
    ///
    /// - Parameters:
    ///   - report: the results of the run.
    ///   - durations: the real duration of each result, for `time`; nil for the virtual ones. Without real durations,
    ///     the same scenarios and seed have the same bytes.
    /// - Returns: the XML text.
    public static func text(_ report: RunReport, durations: [Duration]? = nil) -> String {
        let timed = report.scenarios.enumerated().map { index, result in
            Case(result: result, milliseconds: durations.map { index < $0.count ? Words.milliseconds($0[index]) : 0 })
        }
        var (groups, places): ([(name: String, cases: [Case])], [String: Int]) = ([], [:])
        for timed in timed {
            let name = timed.result.group
            if let place = places[name] {
                groups[place].cases.append(timed)
            } else {
                places[name] = groups.count
                groups.append((name, [timed]))
            }
        }
        var xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        xml += "<testsuites name=\"cardpresent simulate run\" \(counts(timed))>\n"
        for group in groups {
            xml += "  <testsuite name=\"\(escaped(group.name))\" \(counts(group.cases, countsSkipped: true))>\n"
            for timed in group.cases { xml += testCase(timed) }
            xml += "  </testsuite>\n"
        }
        return xml + "</testsuites>\n"
    }

    /// A result with its duration.
    private struct Case {
        let result: ScenarioResult
        let milliseconds: Int64

        init(result: ScenarioResult, milliseconds: Int64?) {
            (self.result, self.milliseconds) = (result, milliseconds ?? result.virtualMilliseconds)
        }
    }

    private static func counts(_ cases: [Case], countsSkipped: Bool = false) -> String {
        let failures = cases.count(where: \.result.isFailure)
        let skipped = cases.count { $0.result.status == .failedAsExpected }
        let milliseconds = cases.reduce(Int64(0)) { $0.addingReportingOverflow($1.milliseconds).partialValue }
        return "tests=\"\(cases.count)\" failures=\"\(failures)\" errors=\"0\""
            + (countsSkipped ? " skipped=\"\(skipped)\"" : "") + " time=\"\(seconds(milliseconds))\""
    }

    private static func testCase(_ timed: Case) -> String {
        let result = timed.result
        var xml = "    <testcase name=\"\(escaped(result.shortName))\" classname=\"\(escaped(result.group))\" "
        xml += "time=\"\(seconds(timed.milliseconds))\">\n      <properties>\n"
        for (name, value) in [
            ("virtual_time", seconds(result.virtualMilliseconds)), ("seed", String(result.seed)),
        ] {
            xml += "        <property name=\"\(name)\" value=\"\(value)\"/>\n"
        }
        xml += "      </properties>\n"
        switch result.status {
        case .passed: break
        case .failedAsExpected: xml += "      <skipped message=\"\(escaped(result.expectedFailure ?? ""))\"/>\n"
        case .failed, .passedUnexpectedly:
            xml += "      <failure message=\"\(escaped(result.reason ?? ""))\" "
            xml += "type=\"\(escaped(result.mismatches.first?.key ?? "expectedFailure"))\">"
            xml += escaped(FailureText.text(result)) + "</failure>\n"
        }
        return xml + "    </testcase>\n"
    }

    private static func seconds(_ milliseconds: Int64) -> String {
        milliseconds.decimalText(scale: 3)
    }

    /// Escapes text for content or attributes, and removes characters that XML 1.0 does not allow.
    static func escaped(_ text: String) -> String {
        text.escaped { scalar in
            switch scalar {
            case "\n": "&#10;"
            case "\t": "&#9;"
            case " "..."\u{D7FF}", "\u{E000}"..."\u{FFFD}", "\u{10000}"..."\u{10FFFF}": scalar.markupReference
            default: ""
            }
        }
    }
}

/// A run in the Test Anything Protocol, version 14.
public enum TAPReport {
    /// Returns the report as TAP.
    public static func text(_ report: RunReport) -> String {
        var text = "TAP version 14\n1..\(report.scenarios.count)"
        if report.scenarios.isEmpty { text += " # SKIP nothing was run" }
        text += "\n"
        for (index, result) in report.scenarios.enumerated() {
            let isBad = result.status == .failed || result.status == .failedAsExpected
            text += "\(isBad || result.isFailure ? "not ok" : "ok") \(index + 1) - \(escaped(result.name))"
            if result.status == .failedAsExpected { text += " # TODO \(escaped(result.expectedFailure ?? ""))" }
            text += "\n"
            if result.isFailure { text += diagnostics(result) }
        }
        return text
    }

    private static func diagnostics(_ result: ScenarioResult) -> String {
        var lines = ["---", "message: \(quoted(result.reason ?? ""))", "severity: fail"]
        lines += ["file: \(quoted(result.mismatches.first?.file ?? result.file))"]
        lines += ["line: \(result.mismatches.first?.line ?? result.line)", "seed: \(result.seed)"]
        if let first = result.mismatches.first { lines += sides(first) }
        if !result.mismatches.isEmpty { lines.append("mismatches:") }
        for mismatch in result.mismatches {
            lines += ["  - message: \(quoted(mismatch.sentence))", "    file: \(quoted(mismatch.file))"]
            lines += (["line: \(mismatch.line)"] + sides(mismatch)).map { "    " + $0 }
        }
        lines += ["again: \(quoted(result.replay))", "..."]
        return lines.map { "  \($0)\n" }.joined()
    }

    /// Returns what was expected and what was seen, line by line.
    private static func sides(_ mismatch: Mismatch) -> [String] {
        [("expected", mismatch.expected), ("seen", mismatch.seen)].flatMap { key, text in
            ["\(key):" + (text.isEmpty ? " []" : "")] + text.map { "  - \(quoted($0))" }
        }
    }

    /// Escapes a description: `#` would begin a directive, and a line break would end the line.
    private static func escaped(_ text: String) -> String {
        text.escaped { scalar in
            switch scalar {
            case "#", "\\": "\\\(scalar)"
            default: scalar.properties.generalCategory == .control ? " " : nil
            }
        }
    }

    /// Returns a double-quoted YAML scalar.
    private static func quoted(_ text: String) -> String {
        let content = text.escaped { scalar in
            switch scalar {
            case "\"", "\\": "\\\(scalar)"
            case "\n": "\\n"
            default: scalar.properties.generalCategory == .control ? " " : nil
            }
        }
        return "\"\(content)\""
    }
}
