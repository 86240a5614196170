import ArgumentParser
import Storage

/// `cardpresent` without a command: shows what to do next.
struct GuideCommand: TillCommand {
    static let configuration = CommandConfiguration(
        commandName: "cardpresent", abstract: "Show what to do next.", shouldDisplay: false)

    @OptionGroup var options: CommonOptions

    private static let flags: Set = ["--json", "--quiet", "--verbose"]
    private static let valued: Set = ["--color", "--config", "--database"]

    /// Returns whether the arguments name no command, only options of this one.
    static func isMeant(by arguments: [String]) -> Bool {
        var rest = arguments[...]
        while let word = rest.popFirst() {
            let name = String(word.prefix { $0 != "=" })
            if flags.contains(word) || (valued.contains(name) && name != word) { continue }
            guard valued.contains(word), rest.popFirst() != nil else { return false }
        }
        return true
    }

    func execute() async throws {
        try output.write(Guide(overview: await TillOverview.look(options.till), options: options.till))
    }
}

extension TillOverview {
    /// Whether a payment would not end at once with an error of the configuration.
    fileprivate var takesPayments: Bool {
        switch configuration {
        case .missing, .faulty: false
        case .absent, .valid, nil: true
        }
    }
}

/// The next steps at a till, the most urgent one first.
struct Guide: CommandResult {
    /// A command to run, and why.
    struct Step: Equatable, Sendable {
        /// A stable name for programs.
        var code: String
        /// Whether the command takes a payment.
        fileprivate var isPayment: Bool { code == "payment_first" || code == "payment_next" }
        var command: String
        var reason: String
    }

    private let overview: TillOverview
    let steps: [Step]

    /// - Parameters:
    ///   - overview: What the till has.
    ///   - options: The options of the call, which the commands repeat.
    init(overview: TillOverview, options: TillOptions) {
        self.overview = overview
        let database = options.data.database.map { " --database \($0.shellWord)" } ?? ""
        let both = (options.configuration.config.map { " --config \($0.shellWord)" } ?? "") + database
        steps =
            Self.openWork(overview, both) + Self.configuration(overview, options)
            + Self.readers(overview, both)
            + Self.payment(overview, both, database).filter { overview.takesPayments || !$0.isPayment }
            + Self.store(overview, both)
            + [Step(code: "help", command: "cardpresent --help", reason: "all commands")]
    }

    private static func openWork(_ overview: TillOverview, _ options: String) -> [Step] {
        guard case .present(_, let work, let backup) = overview.database else { return [] }
        var steps = restoredBackup(backup, options)
        func add(_ code: String, _ count: Int, _ command: String, _ reason: String) {
            guard count > 0 else { return }
            let payments = count == 1 ? "1 payment" : "\(count) payments"
            steps.append(
                Step(code: code, command: "cardpresent payments \(command)\(options)", reason: payments + " " + reason))
        }
        add("payments_unfinished", work.unfinished, "recover", "not finished: do not charge again")
        add("payments_pending", work.pending, "sync", "that the store has not confirmed")
        add("payments_to_review", work.toReview, "sync", "that the store refused: decide about it")
        return steps
    }

    /// Before everything else: payments stop until the host was asked.
    private static func restoredBackup(_ backup: TillOverview.RestoredBackup, _ options: String) -> [Step] {
        var steps: [Step] = []
        if backup.isUnconfirmed {
            steps.append(
                Step(
                    code: "backup_restored", command: "cardpresent payments recover" + options,
                    reason: "restored from a backup: ask the host about it before the next payment"))
        }
        guard backup.lost != 0 else { return steps }
        let lost = backup.lost.map { $0 == 1 ? "1 payment" : "\($0) payments" } ?? "list the payments"
        steps.append(
            Step(
                code: "backup_lacks_payments", command: "cardpresent issuer reconcile" + options,
                reason: lost + " that the host has and the restored backup lacks"))
        return steps
    }

    private static func configuration(_ overview: TillOverview, _ options: TillOptions) -> [Step] {
        switch overview.configuration {
        case .valid: []
        case nil:
            [
                Step(
                    code: "configuration_unchecked", command: "cardpresent doctor --only configuration",
                    reason: "the configuration takes long to read")
            ]
        case .absent:
            [
                Step(
                    code: "configuration_none", command: "cardpresent init",
                    reason: "no configuration: the merchant and the currency are defaults")
            ]
        case .missing(let path):
            [
                Step(
                    code: "configuration_missing",
                    command: "cardpresent init" + (options.configuration.config == nil ? "" : " -o \(path.shellWord)"),
                    reason: "the configuration that is named does not exist")
            ]
        case .faulty(let path):
            [
                Step(
                    code: "configuration_faulty", command: "cardpresent config check \(path.shellWord)",
                    reason: "the configuration has a mistake")
            ]
        }
    }

    private static func readers(_ overview: TillOverview, _ options: String) -> [Step] {
        func step(_ code: String, _ command: String, _ reason: String) -> [Step] {
            [Step(code: code, command: "cardpresent \(command)\(options)", reason: reason)]
        }
        switch overview.readers {
        case .ready: return []
        case nil: return step("reader_unchecked", "doctor --only reader", "the USB devices take long to list")
        case .noUSB: return step("reader_no_usb", "doctor --only usb", "this machine has no USB for a card reader")
        case .absent: return step("reader_none", "readers list", "no USB card reader: connect one, or use pcscd")
        case .faulty: return step("reader_faulty", "doctor --only reader", "the card reader can't be used as it is")
        case .locked: return step("reader_locked", "doctor", "you may not open the card reader")
        }
    }

    private static func payment(_ overview: TillOverview, _ options: String, _ database: String) -> [Step] {
        var isReady = false
        if case .ready = overview.readers { isReady = true }
        let pay = "cardpresent pay 12.50" + (isReady ? " --reader usb" : "") + options
        let first = Step(
            code: "payment_first", command: pay,
            reason: isReady ? "take the first payment" : "take a first payment with a simulated reader")
        switch overview.database {
        case .missing: return [first]
        case .present(_, let work, _) where work.payments == 0: return [first]
        case .present(_, let work, _):
            return [
                Step(
                    code: "payment_next", command: pay,
                    reason: isReady ? "take a payment" : "take a payment with a simulated reader"),
                Step(
                    code: "payments_recorded", command: "cardpresent payments list\(options)",
                    reason: work.payments == 1 ? "1 payment is recorded" : "\(work.payments) payments are recorded"),
            ]
        case .unnamed, .unknown, nil:
            return [
                Step(
                    code: "database_unknown", command: "cardpresent doctor --only database\(database)",
                    reason: "the payments can't be counted")
            ]
        }
    }

    private static func store(_ overview: TillOverview, _ options: String) -> [Step] {
        switch overview.isSignedIn {
        case .some(true): []
        case .some(false):
            [
                Step(
                    code: "store_none", command: "cardpresent login https://SHOP --username NAME\(options)",
                    reason: "no store: only payments of its orders need one")
            ]
        case nil:
            [
                Step(
                    code: "store_unknown", command: "cardpresent sites list\(options)",
                    reason: "the sign-in to the store can't be read")
            ]
        }
    }

    // MARK: Output

    var json: JSONObject {
        // Null when it is not known, or there is none.
        [
            "configuration": configurationPath, "readers": readerNames, "database": databasePath,
            "signedIn": overview.isSignedIn,
            "steps": steps.map { step -> JSONObject in
                ["code": step.code, "command": step.command, "reason": step.reason]
            },
        ]
    }

    /// A line for each step: the command and, as a comment of the shell, the reason.
    var text: String {
        let width = min(50, steps.map(\.command.count).max() ?? 0)
        return steps.map { $0.command.harmless.padded(to: width) + "  # " + $0.reason + "\n" }.joined()
    }

    private var configurationPath: String? {
        switch overview.configuration {
        case .valid(let path), .faulty(let path), .missing(let path): path
        case nil, .absent: nil
        }
    }

    private var readerNames: [String]? {
        switch overview.readers {
        case .ready(let names), .locked(let names), .faulty(let names): names
        case .absent, .noUSB: []
        case nil: nil
        }
    }

    private var databasePath: String? {
        switch overview.database {
        case .present(let path, _, _), .unknown(let path), .missing(let path): path
        case .unnamed, nil: nil
        }
    }
}
