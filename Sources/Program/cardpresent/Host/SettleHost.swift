internal import ArgumentParser
internal import Determinism
internal import Hosts
internal import Money
internal import Payments
internal import Storage
internal import TillConfiguration

/// `host settle`
struct SettleHost: TillCommand, ChangingCommand {
    static let configuration = CommandConfiguration(
        commandName: "settle", abstract: "Settle the open batch of this terminal with the payment host.",
        discussion: """
            EXAMPLES:
              cardpresent host settle
              cardpresent host settle --config till.yaml --json
              cardpresent host settle --leave-open
              cardpresent host settle --accept-host --yes
              cardpresent host settle --host-trace settle.jsonl

            First sends what waits for the host. Then adds up the sales, offline sales, refunds, and reversals since \
            the last settlement, and sends the totals, for each currency. When the host agrees, the batch is closed. \
            Otherwise lists each total that differs, ours and the host's, and the batch stays open: find the payment \
            that one side lacks, and settle again.

            Without an answer, the next 'host settle' repeats the same totals: nothing is counted twice.

            When the totals differ for good, --accept-host closes the batch here with those that the host told last, and \
            records both. It sends no totals, and asks before: clear it with the acquirer first, because a batch that is \
            still open there belongs to its next totals.

            Exits with 0 when the host agrees, when there is nothing to settle, and when --accept-host has closed every \
            batch that differed; with 3 when the question was not answered with yes; with 7 when its totals differ; \
            with 4 when it did not answer, or a transaction is still open; with 69 when it refuses or can't be \
            reached; and with 78 when the message profile has no settlement for this terminal.
            """)

    @Flag(
        help: """
            Settle although transactions are still open. They belong to a later batch, unless the host has them \
            already.
            """)
    var leaveOpen = false
    @Flag(help: "Close each batch that differs with the host's totals. Sends no totals, and asks before.")
    var acceptHost = false
    @Flag(name: .shortAndLong, help: "Close it without asking.")
    var yes = false
    @OptionGroup var trace: HostTraceOptions
    @OptionGroup var options: CommonOptions

    func validate() throws {
        guard !yes || acceptHost else { throw ValidationError("--yes can be used only with --accept-host") }
        guard !acceptHost || !leaveOpen else {
            throw ValidationError("--accept-host and --leave-open exclude each other")
        }
    }

    func execute() async throws {
        let settings = try options.till.settings()
        guard case .iso8583(let acquirer) = settings.host else {
            throw CommandFailure(
                .usage, code: "no_host",
                message: "the configured host is '\(settings.host.kind)', which settles nothing",
                fix: "give a configuration with host.kind: iso8583")
        }
        let hostTrace = try trace.open(settings)
        defer { hostTrace?.warn() }
        let till = try await options.till.open(for: Self.databaseUse, settings, hostTrace: hostTrace)
        try till.stopIfRestored()
        guard let host = till.host as? AcquirerHost, let place = host.settlementPlace else {
            throw CommandFailure(.internalError, code: "internal", message: "the host has no address")
        }
        let settlement = HostSettlement(
            host: host, place: place, profile: acquirer.profile, journal: PaymentJournal(reading: till.storage),
            time: SystemTimeSource())
        guard !acceptHost else {
            let outcomes = try HostAcceptance(settlement: settlement, isConfirmed: yes).run()
            return try output.write(SettlementReport(place: place, outcomes: outcomes))
        }
        let outcomes = try await settlement.run(leavingOpen: leaveOpen)
        let result = SettlementReport(place: place, outcomes: outcomes)
        try output.write(result)
        // The failure that asks for the most comes first.
        let failures = outcomes.compactMap(\.failure)
        for failure in failures { failure.report() }
        let statuses = failures.map(\.status)
        let worst = [ExitStatus.outcomeUnknown, .differs, .unavailable, .configuration].first { statuses.contains($0) }
        if let worst = worst ?? statuses.first { throw ExitCode(worst.rawValue) }
    }
}

/// Settles the batches of a terminal with a host, one after the other.
struct HostSettlement: Sendable {
    let host: AcquirerHost
    let place: SettlementPlace
    /// The name or the path of the message profile.
    let profile: String
    let journal: PaymentJournal
    let time: any TimeSource

    /// - Parameter leavesOpen: whether transactions may still be open.
    /// - Returns: what became of each batch; none when there is nothing to settle.
    /// - Throws: `CommandFailure` when nothing was sent.
    func run(leavingOpen leavesOpen: Bool) async throws(CommandFailure) -> [SettlementOutcome] {
        let currencies: [Currency]
        let open: [PaymentAttempt]
        do throws(JournalError) {
            currencies = try journal.currenciesToSettle(at: place)
            open = try journal.attemptsBeforeSettlement(at: place)
        } catch { throw CommandFailure(error) }
        if let obstacle = host.settlementObstacle(currencies: currencies.count) { throw failure(obstacle) }
        if let first = open.first, !leavesOpen {
            let count = open.count == 1 ? "1 transaction is" : "\(open.count) transactions are"
            throw CommandFailure(
                .outcomeUnknown, code: "transactions_open",
                message: "\(count) still open at the host, the first of \(first.paymentID): nothing was settled",
                fix: "run 'cardpresent payments recover'; 'cardpresent host status' lists them; "
                    + "or settle without them with --leave-open")
        }
        var outcomes: [SettlementOutcome] = []
        for currency in currencies {
            guard let outcome = try await settle(currency) else { continue }
            outcomes.append(outcome)
        }
        return outcomes
    }

    private func failure(_ obstacle: SettlementObstacle) -> CommandFailure {
        let message = "the terminal can't settle by the profile '\(profile)': \(obstacle)"
        switch obstacle {
        case .noMessage:
            return CommandFailure(
                .configuration, code: "no_settlement", message: message,
                fix: "add messages.settlement to the profile; without one, the acquirer closes the batch by itself")
        case .unknownTotals:
            return CommandFailure(
                .configuration, code: "no_settlement", message: message,
                fix: "write totals: fields, or ask the acquirer for a settlement by fields 74 to 97")
        case .noCurrency:
            return CommandFailure(
                .configuration, code: "several_currencies", message: message,
                fix: "add field 50 to messages.settlement, or use a terminal number for each currency")
        }
    }

    /// - Returns: nil when another process has settled the currency meanwhile.
    private func settle(_ currency: Currency) async throws(CommandFailure) -> SettlementOutcome? {
        do throws(JournalError) {
            let (host, moment) = (host, time.now())
            let batch = try journal.beginSettlement(
                at: place, in: currency, countingReversed: host.countsReversed, moment: moment
            ) { host.settlementIdentity(batch: $0, message: $1) }
            guard let batch else { return nil }
            let result: SettlementResult
            do throws(PaymentHostError) { result = try await host.settle(batch) } catch {
                return try unanswered(batch, error)
            }
            switch result {
            case .agreed(let code, let meaning, let totals):
                let closed = try journal.closeBatch(batch, code: code, hostTotals: totals, at: time.now())
                return try outcome(closed, batch, meaning)
            case .differs(let code, let meaning, let totals):
                let words = code + (meaning.map { " (\($0))" } ?? "")
                let open = try journal.reopenBatch(
                    batch, code: code, hostTotals: totals, reason: "the host has other totals: \(words)")
                return try outcome(open, batch, meaning)
            case .refused(let code, let meaning):
                let words = code + (meaning.map { " (\($0))" } ?? "")
                let open = try journal.reopenBatch(
                    batch, code: code, hostTotals: nil, reason: "the host refused the settlement with \(words)")
                var outcome = try outcome(open, batch, meaning)
                outcome.isRefused = true
                return outcome
            }
        } catch { throw CommandFailure(error) }
    }

    /// Keeps the batch as it is, so that the same message is repeated; or opens it again when not one byte of its first
    /// message left.
    private func unanswered(
        _ batch: SettlementBatch, _ error: PaymentHostError
    ) throws(JournalError) -> SettlementOutcome {
        let kept: SettlementBatch
        if case .notSent(let reason) = error, batch.tries == 1 {
            kept = try journal.reopenBatch(batch, code: nil, hostTotals: nil, reason: reason)
        } else {
            kept = try journal.noteUnanswered(batch, reason: "\(error)")
        }
        var outcome = try outcome(kept, batch, nil)
        outcome.trouble = error
        return outcome
    }

    func outcome(
        _ batch: SettlementBatch, _ sent: SettlementBatch, _ meaning: String?
    ) throws(JournalError) -> SettlementOutcome {
        SettlementOutcome(
            batch: batch, isRepeat: sent.tries > 1, meaning: meaning,
            transactions: try journal.attempts(inBatch: batch.id).count,
            later: try journal.attemptsWithoutBatch(at: place).count { $0.amount.currency == batch.currency })
    }
}
