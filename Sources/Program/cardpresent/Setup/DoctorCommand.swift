import ArgumentParser
import CardSecrets
import Doctor

/// `doctor`
struct DoctorCommand: TillCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Diagnose and fix problems with readers, printers, and the database.",
        discussion: """
            EXAMPLES:
              cardpresent doctor
              sudo cardpresent doctor --fix
              cardpresent doctor --only reader --only permission

            Each check reports what it found and, for a problem, the cause and the fix. --fix applies safe fixes: it \
            installs the udev rules and group, enables a stopped print queue, and turns off power saving for a reader. \
            It never stops other programs. The exit code is 0 without problems, otherwise that of the first problem.
            """)

    @Flag(help: "Apply safe fixes, then check again.")
    var fix = false
    @Option(
        help: ArgumentHelp(
            "Run only this check. Can be repeated.",
            discussion: "'cardpresent doctor --list' lists the checks.", valueName: "check"),
        completion: .list(CheckName.allCases.map(\.rawValue)), transform: Self.check(named:))
    var only: [CheckName] = []
    @Flag(help: "List the checks without running them.")
    var list = false
    @Option(
        help: ArgumentHelp(
            "Check the file tree of another system, for example a mounted image.",
            discussion: "Skips checks that open readers, and cannot be used with --fix.", valueName: "directory"),
        completion: .directory)
    var root: String?
    @OptionGroup var options: CommonOptions

    /// The maximum number of repair rounds.
    private static let mostRounds = 3

    func validate() throws {
        if root != nil, fix { throw ValidationError("--fix cannot be used with --root") }
        if let root, SystemFiles().status(root)?.isDirectory != true {
            throw ValidationError("--root: no such directory '\(root)'")
        }
    }

    func execute() async throws {
        guard !list else { return try showList() }
        let examination = Examination(
            root: root.map(Self.withoutSlash) ?? "", options.till)
        var reports = await examine(examination)
        var repairs: [RepairResult] = []
        // A repair may reveal another problem: a new group has no members yet.
        for _ in 0..<(fix ? Self.mostRounds : 0) {
            let round = await examination.repairer.repair(reports, after: repairs)
            repairs += round
            guard round.contains(where: { $0.outcome == .done }) else { break }
            reports = await examine(examination)
        }
        let result = ExaminationResult(reports: reports, repairs: repairs)
        try output.write(result)
        if !output.json { StandardError.note(result.summary + "\n") }
        if let trouble = reports.lazy.compactMap(\.trouble).first {
            throw ExitCode(ExitStatus(trouble).rawValue)
        }
    }

    private func examine(_ examination: Examination) async -> [CheckReport] {
        await Waiting.on("Checking readers, printers, and the database") {
            await examination.doctor.examine(only: only.isEmpty ? nil : Set(only))
        }
    }

    private func showList() throws {
        try output.write(table: CheckName.allCases)
    }

    private static func check(named name: String) throws -> CheckName {
        if let check = CheckName(rawValue: name) { return check }
        throw ValidationError(
            "unknown check '\(name)': "
                + .choice(of: name, among: CheckName.allCases.map(\.rawValue), called: "checks"))
    }

    private static func withoutSlash(_ path: String) -> String {
        String(path.reversed().drop { $0 == "/" }.reversed())
    }
}

extension CheckName: TableRow {
    var json: JSONObject { ["name": rawValue, "purpose": purpose] }

    static var heads: [String] { ["check", "purpose"] }

    var cells: [String] { [rawValue, purpose] }
}

extension ExitStatus {
    /// Returns the exit code of a problem.
    init(_ trouble: Trouble) {
        self =
            switch trouble {
            case .reader: .reader
            case .printer: .printer
            case .data: .badData
            case .machine: .unavailable
            case .busy: .tryAgain
            case .configuration: .configuration
            }
    }
}

/// The result of `doctor`.
private struct ExaminationResult: CommandResult {
    let reports: [CheckReport]
    /// The repairs of `--fix`.
    let repairs: [RepairResult]

    private func count(_ verdict: Verdict) -> Int { reports.flatMap(\.findings).count { $0.verdict == verdict } }

    var json: JSONObject {
        // The worst verdict of all checks.
        let verdict = reports.map(\.verdict).max() ?? .skipped
        return [
            "verdict": verdict.rawValue, "problems": count(.problem), "warnings": count(.warning),
            "checks": reports.json, "repairs": repairs.json,
        ]
    }

    var text: String { reports.text + repairs.text }

    var summary: String {
        func words(_ number: Int, _ word: String) -> String { "\(number) \(word)\(number == 1 ? "" : "s")" }
        return "\(words(count(.problem), "problem")), \(words(count(.warning), "warning"))"
    }
}

extension CheckReport: CommandResult {
    var json: JSONObject {
        ["name": name.rawValue, "verdict": verdict.rawValue, "findings": findings.map { $0.json(of: name) }]
    }

    var text: String { findings.map { $0.text(of: name) }.joined() }
}

extension Finding {
    fileprivate func json(of check: CheckName) -> JSONObject {
        let told = masked(of: check)
        return [
            // The subject is null when the check has only one.
            "verdict": verdict.rawValue, "subject": told.subject, "seen": told.seen, "cause": told.cause,
            "fix": told.fix,
            // Whether --fix can fix it, and the affected part; null unless the verdict is 'problem'.
            "fixable": repair != nil, "trouble": trouble?.rawValue,
        ]
    }

    /// The finding, with digits masked that may be a card number. Only the long numbers in a finding about devices that
    /// is in order are known: they are serial numbers.
    private func masked(of check: CheckName) -> Finding {
        guard !check.isOfDevices || verdict == .problem || verdict == .warning else { return self }
        var finding = self
        finding.seen = CardNumberMask.masked(seen)
        finding.subject = check.isOfDevices ? subject : subject.map(CardNumberMask.masked)
        finding.cause = cause.map { CardNumberMask.masked($0, besides: seen) }
        finding.fix = fix.map { CardNumberMask.masked($0, besides: seen) }
        return finding
    }

    fileprivate func text(of check: CheckName) -> String {
        let told = masked(of: check)
        let (seen, subject, cause, fix) = (told.seen, told.subject, told.cause, told.fix)
        let indent = String(repeating: " ", count: 24)
        let about = subject.map { "\($0): " } ?? ""
        // The blanks follow the colored word.
        let word = WordColor(verdict)?.onOutput(verdict.rawValue) ?? verdict.rawValue
        let blanks = String(repeating: " ", count: max(0, 9 - verdict.rawValue.count))
        var text = word + blanks + check.rawValue.padded(to: 15) + about + seen + "\n"
        if let cause { text += "\(indent)why: \(cause)\n" }
        if let fix { text += "\(indent)fix: \(fix)\n" }
        return text
    }
}

extension CheckName {
    /// Whether the findings name readers and other devices with their serial numbers.
    fileprivate var isOfDevices: Bool {
        switch self {
        case .usb, .reader, .permission, .owner, .power, .answer: true
        case .libraries, .configuration, .database, .clock, .rules, .group, .printer: false
        }
    }
}

extension WordColor {
    /// The color of a verdict; nil when nothing was checked.
    fileprivate init?(_ verdict: Verdict) {
        switch verdict {
        case .skipped: return nil
        case .ok: self = .good
        case .warning: self = .doubtful
        case .problem: self = .bad
        }
    }
}

extension RepairResult: CommandResult {
    var json: JSONObject {
        // The outcome, and why the repair failed.
        let (outcome, error): (String, String?) =
            switch outcome {
            case .done: ("done", nil)
            case .needsRoot: ("needsRoot", nil)
            case .failed(let reason): ("failed", reason)
            }
        return ["check": check.rawValue, "repair": repair.purpose, "outcome": outcome, "error": error]
    }

    var text: String {
        switch outcome {
        case .done: "done     \(repair.purpose)\n"
        case .needsRoot: "skipped  \(repair.purpose): needs root, run 'sudo cardpresent doctor --fix'\n"
        case .failed(let reason): "failed   \(repair.purpose): \(reason)\n"
        }
    }
}
