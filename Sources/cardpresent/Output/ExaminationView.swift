internal import Doctor

/// The result of `doctor`.
struct ExaminationView: Encodable, Sendable {
    /// The worst of all checks.
    var verdict: String
    var problems: Int
    var warnings: Int
    var checks: [CheckView]
    /// What --fix did, or could not do.
    var repairs: [RepairView]

    init(_ reports: [CheckReport], _ repairs: [RepairResult]) {
        let findings = reports.flatMap(\.findings)
        verdict = (reports.map(\.verdict).max() ?? .skipped).rawValue
        problems = findings.count { $0.verdict == .problem }
        warnings = findings.count { $0.verdict == .warning }
        checks = reports.map(CheckView.init)
        self.repairs = repairs.map(RepairView.init)
    }

    var text: String { checks.map(\.text).joined() + repairs.map(\.line).joined() }

    var summary: String {
        func count(_ number: Int, _ word: String) -> String { "\(number) \(word)\(number == 1 ? "" : "s")" }
        return "\(count(problems, "problem")), \(count(warnings, "warning"))"
    }
}

struct CheckView: Encodable, Sendable {
    var name: String
    var verdict: String
    var findings: [FindingView]

    init(_ report: CheckReport) {
        (name, verdict) = (report.name.rawValue, report.verdict.rawValue)
        findings = report.findings.map(FindingView.init)
    }

    var text: String { findings.map { $0.text(of: name) }.joined() }
}

struct FindingView: Encodable, Sendable {
    var verdict: String
    /// null when there is only one such thing.
    @Nullable var subject: String?
    var seen: String
    @Nullable var cause: String?
    @Nullable var fix: String?
    /// Whether --fix does it.
    var fixable: Bool
    /// What does not work; null unless the verdict is `problem`.
    @Nullable var trouble: String?

    init(_ finding: Finding) {
        (verdict, seen, fixable) = (finding.verdict.rawValue, finding.seen, finding.repair != nil)
        _subject = Nullable(wrappedValue: finding.subject)
        _cause = Nullable(wrappedValue: finding.cause)
        _fix = Nullable(wrappedValue: finding.fix)
        _trouble = Nullable(wrappedValue: finding.trouble?.rawValue)
    }

    func text(of check: String) -> String {
        let indent = String(repeating: " ", count: 24)
        var text = verdict.padded(to: 9) + check.padded(to: 15) + (subject.map { "\($0): " } ?? "") + seen + "\n"
        if let cause { text += "\(indent)why: \(cause)\n" }
        if let fix { text += "\(indent)fix: \(fix)\n" }
        return text
    }
}

struct RepairView: Encodable, Sendable {
    var check: String
    var repair: String
    /// `done`, `needsRoot` or `failed`
    var outcome: String
    /// Why it failed; null unless it did.
    @Nullable var error: String?

    init(_ result: RepairResult) {
        (check, repair) = (result.check.rawValue, result.repair.purpose)
        switch result.outcome {
        case .done: (outcome, _error) = ("done", Nullable(wrappedValue: nil))
        case .needsRoot: (outcome, _error) = ("needsRoot", Nullable(wrappedValue: nil))
        case .failed(let reason): (outcome, _error) = ("failed", Nullable(wrappedValue: reason))
        }
    }

    var line: String {
        switch outcome {
        case "done": "done     \(repair)\n"
        case "needsRoot": "left     \(repair): it needs root, type: sudo cardpresent doctor --fix\n"
        default: "failed   \(repair): \(error ?? "")\n"
        }
    }
}
