import Acquirer
import ArgumentParser
import Determinism
import Money
import Payments
import Simulator
import Storage
import TillConfiguration

/// `issuer`
struct IssuerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "issuer", abstract: "Show and reconcile the simulated issuer's ledger.",
        subcommands: [ShowIssuerLedger.self, ReconcileIssuer.self])
}

/// `issuer ledger`
struct ShowIssuerLedger: SynchronousReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "ledger", abstract: "List the issuer's ledger, oldest entry first.",
        discussion: """
            EXAMPLES:
              cardpresent issuer ledger
              cardpresent issuer ledger --json

            The ledger is the file next to the database whose name ends in '.issuer'.
            """)

    @OptionGroup var data: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func execute() throws {
        let entries = try HostFactory.book(beside: try data.path()).entries
        try output.write(
            table: entries.enumerated().map { NumberedRow(number: $0 + 1, row: $1) }, right: [0, 4],
            whenEmpty: "No entries yet.")
    }
}

/// `issuer reconcile`
struct ReconcileIssuer: TillCommand {
    static let configuration = CommandConfiguration(
        commandName: "reconcile", abstract: "Compare the issuer's ledger with the till's journal.",
        discussion: """
            EXAMPLES:
              cardpresent issuer reconcile
              cardpresent issuer reconcile --accept-lost --reason 'booked by hand'
              cardpresent issuer reconcile --acquirer 127.0.0.1:8583
              cardpresent issuer reconcile --acquirer a.sqlite --terminal TERM0001
              cardpresent issuer reconcile --acquirer b.sqlite --host backup

            First recovers attempts that an earlier process left unfinished. Exits with 0 when ledger and journal \
            agree, with 7 when they differ, and with 4 when they differ only in unfinished attempts. Also lists each \
            time the database was found to be restored from a backup: 'unknownToTill' are the payments that it lost. \
            When you have dealt with those that are listed, record it with --accept-lost: they stay in the report as \
            accepted, and are no difference any more.

            With --acquirer, compares the attempts that went to an ISO 8583 host with the ledger of \
            'cardpresent simulate acquirer', by trace number and time. An address finds the ledger of an acquirer that \
            you run on this machine with --ledger. With several hosts, --host says whose ledger it is: only the \
            attempts that went to its address are compared.
            """)

    @Flag(help: "Accept the listed payments that a restored backup lost. Moves no money.")
    var acceptLost = false
    @Option(help: ArgumentHelp("Why they are accepted, up to 200 characters.", valueName: "text"))
    var reason: String?
    @Option(
        help: ArgumentHelp(
            "Simulated acquirer to compare with instead: its address on this machine, or the file of its ledger.",
            valueName: "host:port|file"),
        completion: .file())
    var acquirer: String?
    @Option(
        help: ArgumentHelp(
            "Compare only this terminal (field 41) of the acquirer's ledger. Default: all.", valueName: "tid"))
    var terminal: String?
    @Option(
        help: ArgumentHelp(
            "The host of the acquirer's ledger, of several configured ones: a name in 'hosts', or 'default'.",
            valueName: "name"))
    var host: String?
    @OptionGroup var issuer: IssuerOptions
    @OptionGroup var options: CommonOptions

    func validate() throws {
        guard acquirer == nil || !acceptLost else {
            throw ValidationError("--accept-lost and --acquirer cannot be used together")
        }
        guard terminal == nil || acquirer != nil else { throw ValidationError("--terminal needs --acquirer FILE") }
        guard host == nil || acquirer != nil else { throw ValidationError("--host needs --acquirer FILE") }
        guard let reason else {
            guard !acceptLost else { throw ValidationError("--accept-lost needs --reason TEXT") }
            return
        }
        guard acceptLost else { throw ValidationError("--reason can be used only with --accept-lost") }
        try AcceptanceReason.check(reason)
    }

    func execute() async throws {
        let settings = try options.till.settings()
        let place = try acquirer == nil ? nil : self.place(settings)
        let ledger = try acquirer.map(AcquirerNote.ledger)
        let till = try await options.till.open(
            for: acceptLost ? .changes : Self.databaseUse, settings, rules: try issuer.rules())
        if let ledger { return try await compare(till, ledger, at: place) }
        let attempts = try await till.attemptsAtIssuer()
        let book = try options.till.issuerLedger()
        if acceptLost, let reason {
            // What no report has listed yet cannot be accepted.
            try till.stopIfRestored()
            try till.accept(
                IssuerReconciliation(till: attempts, issuer: book).differences, reason: reason,
                at: SystemTimeSource().now())
        }
        let losses = Dictionary(try till.acceptedLosses().map { ($0.loss.key, $0) }) { first, _ in first }
        // An attempt that has changed at the issuer since is not what was accepted.
        let result = IssuerReconciliation(till: attempts, issuer: book) { difference in
            LostAttempt(difference).map { losses[$0.key]?.loss == $0 } ?? false
        }
        let former = try till.formerIdentities().filter { $0.state == .restored }
        let accepted = result.accepted.compactMap { losses[$0.key] }
        try output.write(
            JSONObject(
                extending: result.json,
                with: JSONObject(known: [
                    "accepted": accepted.isEmpty ? nil : accepted.map(\.json),
                    "restored": former.isEmpty ? nil : former.map(\.json),
                ])),
            text: former.map(\.line).joined() + accepted.map(\.line).joined() + result.text)
        try Self.end(result)
    }

    /// Returns the address of the host whose ledger is compared; nil for one host only.
    private func place(_ settings: TillConfiguration) throws(CommandFailure) -> String? {
        var option = HostOption()
        option.host = host
        let chosen = try option.choose(from: settings)
        guard !settings.otherHosts.isEmpty else { return nil }
        guard host != nil, let only = chosen.first else {
            throw CommandFailure(
                .usage, code: "several_hosts", message: "the configuration has several hosts",
                fix: "say whose ledger it is, with --host and one of "
                    + chosen.map(\.name).joined(separator: ", "))
        }
        return only.settings.place
    }

    /// Compares the attempts that went to an ISO 8583 host, or to one of several, with an acquirer's ledger.
    private func compare(_ till: Till, _ path: String, at place: String?) async throws {
        let records: [AcquirerRecord]
        do throws(AcquirerLedgerError) { records = try AcquirerLedger.records(path: path) } catch {
            throw CommandFailure(error)
        }
        let attempts = try await till.attempts(at: HostFactory.iso8583Name).filter {
            place == nil || $0.attempt.identity?.destination == place
        }
        let comparison = AcquirerComparison(
            records,
            till: attempts.map {
                AcquirerComparison.Attempt(
                    key: $0.till.key, stan: $0.attempt.stan, sent: $0.attempt.identity, at: $0.attempt.createdAt)
            }, terminal: terminal, time: SystemTimeSource())
        let result = IssuerReconciliation(till: attempts.map(\.till), states: comparison.states)
        try output.write(result)
        try Self.end(result)
    }

    private static func end(_ result: IssuerReconciliation) throws {
        guard result.agrees else { throw ExitCode(ExitStatus.differs.rawValue) }
        guard !result.hasOpen else { throw ExitCode(ExitStatus.outcomeUnknown.rawValue) }
    }
}

extension IssuerLedgerEntry: TableRow {
    /// The number of scripts in the issuer's response; nil without scripts.
    private var scripts: Int? { answer.flatMap { $0.scriptCount > 0 ? $0.scriptCount : nil } }

    var json: JSONObject {
        let report = scriptReport.map { ["commands": $0.commands, "failed": $0.hasFailed] as JSONObject }
        return JSONObject(
            (["kind": kind.rawValue, "key": key.rawValue, "amount": minorUnits] as JSONObject)
                .amounts(inCode: currency),
            known: [
                "original": original?.rawValue, "account": account, "last4": lastFour, "reference": answer?.reference,
                "responseCode": answer?.responseCode, "authCode": answer?.authorizationCode,
                "reason": reason?.rawValue, "rule": rule, "message": message?.rawValue, "atc": counter,
                "scripts": scripts, "scriptReport": report, "scriptResults": scriptResults,
            ])
    }

    static var heads: [String] { ["kind", "key", "card", "amount", "rc", "auth code", "reason", "note"] }

    var cells: [String] {
        [
            kind.rawValue, key.rawValue, lastFour.map { "**** \($0)" } ?? "", MoneyText.of(minorUnits, currency),
            answer?.responseCode ?? "", answer?.authorizationCode ?? "", reason?.rawValue ?? "",
            notes.joined(separator: ", "),
        ]
    }

    var colors: [Int: WordColor] {
        guard let code = answer?.responseCode else { return kind == .unanswered ? [0: .doubtful] : [:] }
        return [4: code == "00" ? .good : .bad]
    }

    /// The facts that only some entries have.
    private var notes: [String] {
        var notes: [String] = []
        if let message { notes.append(message.rawValue) }
        if let original { notes.append("of \(original.rawValue)") }
        if let rule { notes.append("rule '\(rule)'") }
        if let scripts { notes.append("scripts \(scripts)") }
        if let scriptReport {
            notes.append(
                "card processed \(scriptReport.commands) script commands" + (scriptReport.hasFailed ? ", failed" : ""))
        }
        if let scriptResults { notes.append("script results \(scriptResults)") }
        return notes
    }
}

extension FormerIdentity {
    fileprivate var line: String {
        "restored from a backup, found \(at.minuteText)  identity \(databaseID), now \(successor)  "
            + "till had \(lastNumber), issuer had \(hostNumber ?? 0)\n"
    }
}

extension AcceptedLoss {
    fileprivate var json: JSONObject {
        let object: JSONObject = [
            "key": loss.key.rawValue, "direction": loss.kind.rawValue, "amount": loss.amount.minorUnits,
            "reason": reason, "at": at.description,
        ]
        return object.amounts(in: loss.amount.currency)
    }

    fileprivate var line: String {
        "accepted \(at.minuteText)  \(loss.kind.rawValue.padded(to: 6))  \(loss.key.rawValue)  \(loss.amount)  "
            + "\(reason)\n"
    }
}

/// Formats amounts that may be negative or have an unknown currency.
enum MoneyText {
    static func of(_ minorUnits: Int64, _ currency: String) -> String {
        guard let known = try? Currency(code: currency),
            let money = try? Money(minorUnits: Int64(clamping: minorUnits.magnitude), currency: known)
        else { return minorUnits == 0 ? "" : "\(minorUnits) \(currency)" }
        return (minorUnits < 0 ? "-" : "") + money.description
    }
}

extension IssuerReconciliation: CommandResult {
    var json: JSONObject {
        let totals = totals.map { total -> JSONObject in
            (["till": total.till, "issuer": total.issuer] as JSONObject).amounts(inCode: total.currency)
        }
        return [
            "agree": agrees, "open": openCount, "attempts": attemptCount, "differences": differences.map(\.json),
            "totals": totals,
        ]
    }

    private var openCount: Int { differences.count { $0.kind == .open } }

    var text: String {
        var text = differences.map(\.text).joined()
        for total in totals {
            text += "\(total.currency)  till \(MoneyText.of(total.till, total.currency))  "
            text += "issuer \(MoneyText.of(total.issuer, total.currency))\n"
        }
        let count = differences.count - openCount
        let agreement =
            (hasOpen ? "the rest agrees" : "ledger and journal agree")
            + (accepted.isEmpty ? "" : ", but for \(accepted.count) accepted")
        let verdict = agrees ? agreement : count == 1 ? "1 difference" : "\(count) differences"
        let color: WordColor = agrees ? hasOpen ? .doubtful : .good : .bad
        let attempts = attemptCount == 1 ? "1 attempt" : "\(attemptCount) attempts"
        return text + "\(attempts), \(openCount) still open: \(color.onOutput(verdict))\n"
    }
}

extension IssuerReconciliation.Difference {
    /// A transaction as the till or the issuer knows it.
    private struct Side {
        let amount: Int64
        let currency: String
        let state: String

        init(_ attempt: TillAttempt) {
            (amount, currency) = (attempt.amount.minorUnits, attempt.amount.currency.code)
            state = "\(attempt.outcome)"
        }

        init(_ standing: IssuerTransactionState) {
            (amount, currency) = (standing.minorUnits + standing.held, standing.currency)
            state = standing.held != 0 ? "held" : standing.isReversed ? "reversed" : standing.responseCode ?? "none"
        }

        var json: JSONObject { (["amount": amount, "state": state] as JSONObject).amounts(inCode: currency) }

        var text: String { amount == 0 ? state : "\(MoneyText.of(amount, currency)) (\(state))" }
    }

    private var sides: (till: Side?, issuer: Side?) { (till.map { Side($0) }, issuer.map { Side($0) }) }

    private var direction: String { till?.kind.rawValue ?? (issuer?.isRefund == true ? "refund" : "sale") }

    fileprivate var json: JSONObject {
        JSONObject(
            ["kind": kind.rawValue, "key": key.rawValue, "direction": direction],
            known: ["payment": till?.payment, "till": sides.till?.json, "issuer": sides.issuer?.json])
    }

    fileprivate var text: String {
        "\((till?.payment ?? "").padded(to: 8))  \(direction.padded(to: 6))  "
            + "\(key.rawValue)  \(WordColor.onOutput(kind.rawValue, kind == .open ? .doubtful : .bad, paddedTo: 17))  "
            + "till: \(sides.till?.text ?? "nothing")  issuer: \(sides.issuer?.text ?? "nothing")\n"
    }
}
