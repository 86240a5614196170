internal import ArgumentParser
internal import Doctor
internal import FoundationEssentials

/// `doctor`
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Finds out why readers, printing or records do not work, and says what to type.",
        discussion: """
            Every check says what it saw, and for a problem the cause and the fix. With --fix what is safe is done: rules and \
            group installed, a stopped print queue set going, a reader kept awake. No program of others is ever ended. The \
            exit code is 0 when there is no problem, else that of the first one.
            """)

    @Flag(help: "Do what is safe about the problems, then look again.")
    var fix = false
    @Option(
        help: ArgumentHelp(
            "Make this check only. Can be given more than once.",
            discussion: "'cardpresent doctor --list' shows the checks.", valueName: "check"),
        completion: .list(CheckName.allCases.map(\.rawValue)), transform: Self.check(named:))
    var only: [CheckName] = []
    @Flag(help: "List the checks and make none.")
    var list = false
    @Option(
        help: ArgumentHelp(
            "Look at the file tree of another system, for example a mounted image.",
            discussion: "Readers there are not asked, and nothing is mended.", valueName: "directory"),
        completion: .directory)
    var root: String?
    @OptionGroup var configurationOptions: ConfigurationOptions
    @OptionGroup var data: DatabaseOptions
    @OptionGroup var output: OutputOptions

    /// How often is looked for something more to mend.
    private static let mostRounds = 3

    func validate() throws {
        if root != nil, fix { throw ValidationError("--fix mends this machine: it does not go with --root") }
        if let root, SystemFiles().status(root)?.isDirectory != true {
            throw ValidationError("--root: there is no directory '\(root)'")
        }
    }

    func run() async throws {
        try await output.reporting {
            guard !list else { return try showList() }
            let examination = Examination(
                root: root.map(Self.withoutSlash) ?? "", configuration: configurationOptions, data: data)
            var reports = await examine(examination)
            var repairs: [RepairResult] = []
            // What is mended may show what else is wrong: nobody is in a group that is not there.
            for _ in 0..<(fix ? Self.mostRounds : 0) {
                let round = await examination.repairer.repair(reports, after: repairs)
                repairs += round
                guard round.contains(where: { $0.outcome == .done }) else { break }
                reports = await examine(examination)
            }
            let view = ExaminationView(reports, repairs)
            if output.json {
                try StandardOutput.write(json: view)
            } else {
                try StandardOutput.write(view.text)
                StandardError.write(view.summary + "\n")
            }
            if let trouble = reports.lazy.compactMap(\.trouble).first {
                throw ExitCode(ExitStatus(trouble).rawValue)
            }
        }
    }

    private func examine(_ examination: Examination) async -> [CheckReport] {
        await examination.doctor.examine(only: only.isEmpty ? nil : Set(only))
    }

    private func showList() throws {
        let checks = CheckName.allCases.map { CheckDescription(name: $0.rawValue, purpose: $0.purpose) }
        guard !output.json else { return try StandardOutput.write(json: checks) }
        try StandardOutput.write(checks.map { $0.name.padded(to: 15) + $0.purpose + "\n" }.joined())
    }

    private static func check(named name: String) throws -> CheckName {
        if let check = CheckName(rawValue: name) { return check }
        throw ValidationError(
            "there is no check '\(name)': "
                + .choice(of: name, among: CheckName.allCases.map(\.rawValue), called: "checks"))
    }

    private static func withoutSlash(_ path: String) -> String {
        String(path.reversed().drop { $0 == "/" }.reversed())
    }
}

/// One line of `doctor --list`.
struct CheckDescription: Encodable, Sendable {
    var name: String
    var purpose: String
}

extension ExitStatus {
    /// The exit code of a problem.
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
