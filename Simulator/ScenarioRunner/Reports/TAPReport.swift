/// A run in the Test Anything Protocol, version 14.
public enum TAPReport {
    /// The whole report as TAP.
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
        for (key, text) in [("expected", result.mismatches.first?.expected), ("seen", result.mismatches.first?.seen)] {
            guard let text else { continue }
            lines.append("\(key):" + (text.isEmpty ? " []" : ""))
            lines += text.map { "  - \(quoted($0))" }
        }
        lines += ["again: \(quoted(result.replay))", "..."]
        return lines.map { "  \($0)\n" }.joined()
    }

    /// A description: `#` would begin a directive, and a line break end it.
    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "#", "\\": escaped += "\\\(scalar)"
            default: escaped.unicodeScalars.append(scalar.properties.generalCategory == .control ? " " : scalar)
            }
        }
        return escaped
    }

    /// A double-quoted scalar of YAML.
    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": quoted += "\\\(scalar)"
            case "\n": quoted += "\\n"
            default: quoted.unicodeScalars.append(scalar.properties.generalCategory == .control ? " " : scalar)
            }
        }
        return quoted + "\""
    }
}
