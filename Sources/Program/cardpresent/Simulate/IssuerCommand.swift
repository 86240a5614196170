internal import ArgumentParser
internal import Money
internal import Payments
internal import Simulator

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
        let lines = entries.enumerated().map { String($0 + 1).padded(toLeft: width) + "  " + $1.line + "\n" }
        try output.write(
            list: entries.enumerated().map { JSONObject(extending: $1.json, with: ["number": $0 + 1]) },
            text: lines.joined(), whenEmpty: "No entries yet.")
    }
}

/// `issuer reconcile`
struct ReconcileIssuer: TillCommand {
    static let configuration = CommandConfiguration(
        commandName: "reconcile", abstract: "Compare the issuer's ledger with the till's journal.",
        discussion: """
            First recovers attempts that an earlier process left unfinished. Exits with 0 when ledger and journal \
            agree, with 7 when they differ, and with 4 when they differ only in unfinished attempts.
            """)

    @OptionGroup var issuer: IssuerOptions
    @OptionGroup var options: CommonOptions

    func execute() async throws {
        let till = try await options.till.open(rules: try issuer.rules())
        let result = IssuerReconciliation(
            till: try await till.attemptsAtIssuer(), issuer: try options.till.issuerLedger())
        try output.write(result)
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
        let verdict = agrees ? "ledger and journal agree" : count == 1 ? "1 difference" : "\(count) differences"
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
