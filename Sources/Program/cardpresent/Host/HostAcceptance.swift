import Determinism
import Money
import Payments
import Storage

/// Closes the batches of a terminal that differ for good, with the totals that the host told. A person decides it.
struct HostAcceptance {
    let settlement: HostSettlement
    /// Whether `--yes` was given, so that no question is asked.
    let isConfirmed: Bool

    /// - Returns: the batches, which are closed.
    /// - Throws: `CommandFailure` when there is nothing to accept, or when the person does not agree: then no batch is
    ///   closed.
    func run() throws(CommandFailure) -> [SettlementOutcome] {
        let open: [SettlementBatch]
        do throws(JournalError) {
            open = try settlement.journal.batches(at: settlement.place).filter { $0.state != .closed }
        } catch { throw CommandFailure(error) }
        let differing = open.filter { $0.state == .open && !$0.differences.isEmpty }
        guard !differing.isEmpty else { throw Self.nothing(open) }
        if !isConfirmed { try confirm(differing) }
        var outcomes: [SettlementOutcome] = []
        do throws(JournalError) {
            for batch in differing {
                let closed = try settlement.journal.acceptHost(batch, at: settlement.time.now())
                outcomes.append(try settlement.outcome(closed, batch, nil))
            }
        } catch { throw CommandFailure(error) }
        guard outcomes.allSatisfy({ $0.batch.isHostAccepted }) else {
            throw CommandFailure(
                .tryAgain, code: "batch_changed", message: "another process has settled the batch meanwhile",
                fix: "run 'cardpresent host settle' again, and look at its result")
        }
        return outcomes
    }

    private static func nothing(_ open: [SettlementBatch]) -> CommandFailure {
        if let sent = open.first(where: { $0.state == .sent }) {
            return CommandFailure(
                .outcomeUnknown, code: "settlement_unanswered",
                message: "batch \(sent.number) has no answer, so the host's totals are not known",
                fix: "run 'cardpresent host settle' to repeat it")
        }
        return CommandFailure(
            .usage, code: "nothing_to_accept", message: "no batch of this terminal differs from the host's totals",
            fix: "run 'cardpresent host settle': only a batch that the host answered with other totals can be closed so"
        )
    }

    /// Asks on the terminal.
    private func confirm(_ batches: [SettlementBatch]) throws(CommandFailure) {
        let question = Confirmation(
            question: "Close it with the totals of the host?", otherwise: "nothing was closed",
            shortcut: "close the batch without asking", time: settlement.time)
        try question.ask(
            about: batches.flatMap { batch in
                ["batch \(batch.number) differs from the host's totals:"]
                    + batch.differences.map { "  \($0.words(batch.currency))" }
            })
    }
}
