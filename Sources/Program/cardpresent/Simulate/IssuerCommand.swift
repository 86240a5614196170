internal import ArgumentParser
internal import Determinism
internal import Money
internal import Payments
internal import Simulator
internal import Storage

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
        discussion: "The ledger is the file next to the database whose name ends in '.issuer'.")

    @OptionGroup var data: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func execute() throws {
        let entries = try HostFactory.book(beside: try data.path()).entries
        let width = String(entries.count).count
        let keyWidth = entries.map(\.key.rawValue.count).max() ?? 0
        let heads = [
            "#".padded(toLeft: width), "KIND".padded(to: 13), "KEY".padded(to: keyWidth), "CARD".padded(to: 9),
            "AMOUNT".padded(to: 16), "RC", "AUTH CODE",
        ]
        let lines = entries.enumerated().map { String($0 + 1).padded(toLeft: width) + "  " + $1.line + "\n" }
        try output.write(
            list: entries.enumerated().map { JSONObject(extending: $1.json, with: ["number": $0 + 1]) },
            text: entries.isEmpty ? "" : heads.joined(separator: "  ") + "\n" + lines.joined(),
            whenEmpty: "No entries yet.")
    }
}

/// `issuer reconcile`
struct ReconcileIssuer: TillCommand {
    static let configuration = CommandConfiguration(
        commandName: "reconcile", abstract: "Compare the issuer's ledger with the till's journal.",
        discussion: """
            First recovers attempts that an earlier process left unfinished. Exits with 0 when ledger and journal \
            agree, with 7 when they differ, and with 4 when they differ only in unfinished attempts. Also lists each \
            time the database was found to be restored from a backup: 'unknownToTill' are the payments that it lost. \
            When you have dealt with those that are listed, record it with --accept-lost: they stay in the report as \
            accepted, and are no difference any more.

            EXAMPLES:
              cardpresent issuer reconcile
              cardpresent issuer reconcile --accept-lost --reason 'booked by hand from the paper receipts'
            """)

    @Flag(help: "Accept the listed payments that a restored backup lost. Moves no money.")
    var acceptLost = false
    @Option(help: ArgumentHelp("Why they are accepted, up to 200 characters.", valueName: "text"))
    var reason: String?
    @OptionGroup var issuer: IssuerOptions
    @OptionGroup var options: CommonOptions

    func validate() throws {
        guard let reason else {
            guard !acceptLost else { throw ValidationError("--accept-lost needs --reason TEXT") }
            return
        }
        guard acceptLost else { throw ValidationError("--reason can be used only with --accept-lost") }
        guard reason.contains(where: { !$0.isWhitespace }), reason.count <= 200,
            !reason.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else { throw ValidationError("--reason must be one line of 1 to 200 characters") }
    }

    func execute() async throws {
        let till = try await options.till.open(
            for: acceptLost ? .changes : Self.databaseUse, rules: try issuer.rules())
        let attempts = try await till.attemptsAtIssuer()
        let ledger = try options.till.issuerLedger()
        if acceptLost, let reason {
            // What no report has listed yet cannot be accepted.
            try till.stopIfRestored()
            try till.accept(
                IssuerReconciliation(till: attempts, issuer: ledger).differences, reason: reason,
                at: SystemTimeSource().now())
        }
        let losses = Dictionary(try till.acceptedLosses().map { ($0.loss.key, $0) }) { first, _ in first }
        // An attempt that has changed at the issuer since is not what was accepted.
        let result = IssuerReconciliation(till: attempts, issuer: ledger) { difference in
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
        guard result.agrees else { throw ExitCode(ExitStatus.differs.rawValue) }
        guard !result.hasOpen else { throw ExitCode(ExitStatus.outcomeUnknown.rawValue) }
    }
}

extension IssuerLedgerEntry {
    /// The number of scripts in the issuer's response; nil without scripts.
    private var scripts: Int? { answer.flatMap { $0.scriptCount > 0 ? $0.scriptCount : nil } }

    fileprivate var json: JSONObject {
        let report = scriptReport.map { ["commands": $0.commands, "failed": $0.hasFailed] as JSONObject }
        return JSONObject(
            ["kind": kind.rawValue, "key": key.rawValue, "amount": minorUnits, "currency": currency],
            known: [
                "original": original?.rawValue, "account": account, "last4": lastFour, "reference": answer?.reference,
                "responseCode": answer?.responseCode, "authCode": answer?.authorizationCode,
                "reason": reason?.rawValue, "rule": rule, "message": message?.rawValue, "atc": counter,
                "scripts": scripts, "scriptReport": report, "scriptResults": scriptResults,
            ])
    }

    fileprivate var line: String {
        let card = lastFour.map { "**** \($0)" } ?? ""
        let response = (answer?.responseCode ?? "").padded(to: 2)
        let cells: [String] = [
            kind.rawValue.padded(to: 13), key.rawValue, card.padded(to: 9),
            MoneyText.of(minorUnits, currency).padded(to: 16), response,
            (answer?.authorizationCode ?? "").padded(to: 6),
        ]
        var text = cells.joined(separator: "  ")
        if let reason { text += "  " + reason.rawValue }
        if let message { text += "  " + message.rawValue }
        if let original { text += "  of \(original.rawValue)" }
        if let rule { text += "  rule '\(rule)'" }
        if let scripts { text += "  scripts \(scripts)" }
        if let scriptReport {
            text +=
                "  card processed \(scriptReport.commands) script commands" + (scriptReport.hasFailed ? ", failed" : "")
        }
        if let scriptResults { text += "  script results \(scriptResults)" }
        return text.trimmedEnd
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
        [
            "key": loss.key.rawValue, "direction": loss.kind.rawValue, "amount": loss.amount.minorUnits,
            "currency": loss.amount.currency.code, "reason": reason, "at": at.description,
        ]
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
            ["currency": total.currency, "till": total.till, "issuer": total.issuer]
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
            "ledger and journal agree" + (accepted.isEmpty ? "" : ", but for \(accepted.count) accepted")
        let verdict = agrees ? agreement : count == 1 ? "1 difference" : "\(count) differences"
        return text + "\(attemptCount) attempts, \(openCount) still open: \(verdict)\n"
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
            (amount, currency) = (standing.minorUnits, standing.currency)
            state = standing.isReversed ? "reversed" : standing.responseCode ?? "none"
        }

        var json: JSONObject { ["amount": amount, "currency": currency, "state": state] }

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
            + "\(key.rawValue)  \(kind.rawValue.padded(to: 17))  "
            + "till: \(sides.till?.text ?? "nothing")  issuer: \(sides.issuer?.text ?? "nothing")\n"
    }
}
