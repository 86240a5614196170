/// A run as JUnit XML, as build servers read it. A suite is a folder of scenarios.
///
/// Times are those of the virtual clock, in seconds: what the session would have taken in a shop.
public enum JUnitReport {
    /// The whole report as XML.
    public static func text(_ report: RunReport) -> String {
        let groups = report.groups
        var xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        xml += "<testsuites name=\"cardpresent simulate run\" \(counts(report.scenarios))>\n"
        for group in groups {
            xml += "  <testsuite name=\"\(escaped(group.name))\" \(counts(group.results, countsSkipped: true))>\n"
            for result in group.results { xml += testCase(result) }
            xml += "  </testsuite>\n"
        }
        return xml + "</testsuites>\n"
    }

    private static func counts(_ results: [ScenarioResult], countsSkipped: Bool = false) -> String {
        let failures = results.count(where: \.isFailure)
        let skipped = results.count { $0.status == .failedAsExpected }
        let milliseconds = results.reduce(Int64(0)) { $0.addingReportingOverflow($1.virtualMilliseconds).partialValue }
        return "tests=\"\(results.count)\" failures=\"\(failures)\" errors=\"0\""
            + (countsSkipped ? " skipped=\"\(skipped)\"" : "") + " time=\"\(seconds(milliseconds))\""
    }

    private static func testCase(_ result: ScenarioResult) -> String {
        let head =
            "    <testcase name=\"\(escaped(result.shortName))\" classname=\"\(escaped(result.group))\" "
            + "time=\"\(seconds(result.virtualMilliseconds))\""
        switch result.status {
        case .passed: return head + "/>\n"
        case .failedAsExpected:
            return head + ">\n      <skipped message=\"\(escaped(result.expectedFailure ?? ""))\"/>\n    </testcase>\n"
        case .failed, .passedUnexpectedly:
            return head + ">\n      <failure message=\"\(escaped(result.reason ?? ""))\" "
                + "type=\"\(escaped(result.mismatches.first?.key ?? "expectedFailure"))\">"
                + escaped(FailureText.text(result)) + "</failure>\n    </testcase>\n"
        }
    }

    private static func seconds(_ milliseconds: Int64) -> String {
        let digits = String(milliseconds % 1000)
        return "\(milliseconds / 1000).\(String(repeating: "0", count: 3 - digits.count))\(digits)"
    }

    /// As content or the value of an attribute, without what XML 1.0 cannot have.
    static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "\n": escaped += "&#10;"
            case "\t": escaped += "&#9;"
            case " "..."\u{D7FF}", "\u{E000}"..."\u{FFFD}", "\u{10000}"..."\u{10FFFF}":
                escaped.unicodeScalars.append(scalar)
            default: break
            }
        }
        return escaped
    }
}
