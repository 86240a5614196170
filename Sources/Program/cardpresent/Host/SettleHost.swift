import ArgumentParser
import Determinism
import Hosts
import Money
import Payments
import Storage
import TillConfiguration

/// `host settle`
struct SettleHost: TillCommand, ChangingCommand {
    static let configuration = CommandConfiguration(
        commandName: "settle", abstract: "Settle the open batch of this terminal with the payment host.",
        discussion: """
            EXAMPLES:
              cardpresent host settle
              cardpresent host settle --config till.yaml --json
              cardpresent host settle --leave-open
              cardpresent host settle --restored settled
              cardpresent host settle --accept-host --yes
              cardpresent host settle --host-trace settle.jsonl
              cardpresent host settle --host backup

            First sends the messages that wait for the host. Then adds up the sales, offline sales, refunds, and \
            reversals since the last settlement, and sends the totals of each currency. When the host agrees, the batch \
            is closed. Otherwise lists each total that differs, ours and the host's, and the batch stays open: find the \
            payment that one side lacks, and settle again.

            Without an answer, the next 'host settle' repeats the same totals: nothing is counted twice. With several \
            hosts, settles with each of them, or only with the one of --host.

            After a restored backup, transactions of the backup may be settled already: ask the acquirer, and give the \
            answer with --restored. Nothing is settled before.

            When the totals differ for good, --accept-host closes the batch here with the last totals of the host, and \
            records both. It sends no totals, and asks before. Clear it with the acquirer first: a batch that stays open \
            there becomes a part of its next totals.

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
    @Option(
        help: """
            What a restored backup has without a batch: 'settled' if the acquirer settled it after the backup was \
            made, 'open' if it did not.
            """)
    var restored: RestoredBatch?
    @Flag(help: "Close each batch that differs with the host's totals. Sends no totals, and asks before.")
    var acceptHost = false
    @Flag(name: .shortAndLong, help: "Close it without asking.")
    var yes = false
    @OptionGroup var hostOption: HostOption
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
        guard case .iso8583 = settings.host else {
            throw CommandFailure(
                .usage, code: "no_host",
                message: "the configured host is '\(settings.host.kind)', which settles nothing",
                fix: "give a configuration with host.kind: iso8583")
        }
        let chosen = try hostOption.choose(from: settings)
        guard !acceptHost || chosen.count == 1 else {
            throw CommandFailure(
                .usage, code: "no_host", message: "--accept-host is for one host, and there are several",
                fix: "name it with --host")
        }
        let hostTrace = try trace.open(settings)
        defer { hostTrace?.warn() }
        let till = try await options.till.open(for: Self.databaseUse, settings, hostTrace: hostTrace)
        try till.stopIfRestored()
        try warnOfOthers(settings, till)
        guard settings.otherHosts.isEmpty, let only = chosen.first else {
            return try await settle(chosen, till)
        }
        let result = try await result(of: only, till)
        try output.write(result)
        let failures = result.outcomes.compactMap(\.failure)
        for failure in failures { failure.report() }
        try end(failures)
    }

    /// Warns about transactions that only another configuration settles: unsettled, they stay unpaid.
    private func warnOfOthers(_ settings: TillConfiguration, _ till: Till) throws(CommandFailure) {
        var places: [SettlementPlace] = []
        for acquirer in settings.acquirers { places.append(try settlement(with: acquirer, till).place) }
        let journal = PaymentJournal(reading: till.storage)
        do throws(JournalError) {
            for (place, count) in try journal.unsettledPlaces(of: HostFactory.iso8583Name, besides: places) {
                StandardError.write(
                    "cardpresent: \(count) more not settled at \(place.destination), terminal '\(place.terminal)': "
                        + "settle with the configuration that has this address and number\n")
            }
        } catch { throw CommandFailure(error) }
    }

    /// Settles with several hosts. What stops one does not stop the others.
    private func settle(_ chosen: [NamedAcquirer], _ till: Till) async throws {
        var (objects, texts, failures): ([JSONObject], [String], [CommandFailure]) = ([], [], [])
        for acquirer in chosen {
            let name = acquirer.name
            do throws(CommandFailure) {
                let result = try await result(of: acquirer, till)
                objects.append(JSONObject(extending: result.json, with: ["hostName": name]))
                texts.append("host \(name)\n" + (result.outcomes.isEmpty ? "nothing to settle\n" : result.text))
                failures += result.outcomes.compactMap(\.failure)
            } catch {
                let object: JSONObject = [
                    "host": HostFactory.iso8583Name, "address": acquirer.settings.place, "batches": [JSONObject](),
                    "error": error.json, "hostName": name,
                ]
                objects.append(object)
                texts.append("host \(name)\nnot settled\n")
                failures.append(error)
            }
        }
        try output.write(["hosts": objects], text: texts.joined(separator: "\n"))
        for failure in failures { failure.report() }
        try end(failures)
    }

    /// Settles with a host, or closes what differs from its totals.
    private func result(of acquirer: NamedAcquirer, _ till: Till) async throws(CommandFailure) -> SettlementReport {
        let settlement = try settlement(with: acquirer, till)
        let outcomes =
            if acceptHost { try HostAcceptance(settlement: settlement, isConfirmed: yes).run() } else {
                try await settlement.run(leavingOpen: leaveOpen, restored: restored)
            }
        return SettlementReport(place: settlement.place, outcomes: outcomes)
    }

    private func settlement(with acquirer: NamedAcquirer, _ till: Till) throws(CommandFailure) -> HostSettlement {
        let host =
            till.host as? AcquirerHost
            ?? (till.host as? RoutedHosts)?.members.first { $0.name == acquirer.name }?.host
        guard let host, let place = host.settlementPlace else {
            throw CommandFailure(.internalError, code: "internal", message: "the host has no address")
        }
        return HostSettlement(
            host: host, place: place, profile: acquirer.settings.profile,
            journal: PaymentJournal(reading: till.storage), time: SystemTimeSource())
    }

    /// Ends with the exit code of the failure that asks for the most.
    private func end(_ failures: [CommandFailure]) throws {
        let statuses = failures.map(\.status)
        let worst = [ExitStatus.outcomeUnknown, .differs, .unavailable, .configuration].first { statuses.contains($0) }
        if let worst = worst ?? statuses.first { throw ExitCode(worst.rawValue) }
    }
}

/// What became of the transactions that a restored backup has without a batch.
enum RestoredBatch: String, ExpressibleByArgument, CaseIterable, Sendable {
    case settled, open
}

/// Settles the batches of a terminal with a host, one after the other.
struct HostSettlement: Sendable {
    let host: AcquirerHost
    let place: SettlementPlace
    /// The name or the path of the message profile.
    let profile: String
    let journal: PaymentJournal
    let time: any TimeSource

    /// - Parameters:
    ///   - leavesOpen: whether transactions may still be open.
    ///   - restored: what a person says about a restored backup; nil without a word.
    /// - Returns: what became of each batch; none when there is nothing to settle.
    /// - Throws: `CommandFailure` when nothing was sent.
    func run(
        leavingOpen leavesOpen: Bool, restored: RestoredBatch?
    ) async throws(CommandFailure) -> [SettlementOutcome] {
        try decide(restored)
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
                    + "record what the host will never confirm with 'cardpresent payments close'; "
                    + "or settle without them with --leave-open")
        }
        var outcomes: [SettlementOutcome] = []
        for currency in currencies {
            guard let outcome = try await settle(currency) else { continue }
            outcomes.append(outcome)
        }
        return outcomes
    }

    /// Closes what a person says was settled before a backup was restored.
    ///
    /// - Throws: `CommandFailure` when a person has to decide.
    private func decide(_ restored: RestoredBatch?) throws(CommandFailure) {
        let unsure: [PaymentAttempt]
        var closed: [SettlementBatch] = []
        do throws(JournalError) {
            unsure = try journal.attemptsOfBackupToSettle(at: place)
            if restored == .settled, !unsure.isEmpty {
                let host = host
                closed = try journal.closeBatchesOfBackup(at: place, moment: time.now()) {
                    host.settlementIdentity(batch: $0, message: $1)
                }
            }
        } catch { throw CommandFailure(error) }
        for batch in closed {
            StandardError.write("cardpresent: batch \(batch.number) counts as settled; nothing was sent\n")
        }
        guard let first = unsure.first, restored == nil else { return }
        let count = unsure.count == 1 ? "1 transaction" : "\(unsure.count) transactions"
        throw CommandFailure(
            .outcomeUnknown, code: "restored_batch",
            message: "\(count) of the restored backup, the first of \(first.paymentID), may be settled already: "
                + "nothing was settled",
            fix: "ask the acquirer whether they are, and run with --restored settled or --restored open")
    }

    private func failure(_ obstacle: SettlementObstacle) -> CommandFailure {
        let message = "the terminal can't settle by the profile '\(profile)': \(obstacle)"
        switch obstacle {
        case .noMessage:
            return CommandFailure(
                .configuration, code: "no_settlement", message: message,
                fix: "add messages.settlement to the profile; without one, the acquirer closes the batch by itself")
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
