import Hosts
import Payments
import Yosemite

extension Till {
    /// Stops a command that moves money, before it needs a reader, when the report at the start says that the database
    /// is a restored backup: the person asked before the report. The next run goes on, under the new identity. The
    /// store itself refuses when it finds the backup later.
    ///
    /// - Throws: `CommandFailure`
    func stopIfRestored() throws(CommandFailure) {
        guard let refusal = recovered.refusal else { return }
        var failure = CommandFailure(refusal)
        failure.fix = "compare with \(comparison), then run the command again if the payment is not there"
        throw failure
    }

    /// Finishes open payments once more, in a command that goes on, and reports on stderr which were finished.
    ///
    /// - Throws: `CommandFailure`
    func recover() async throws(CommandFailure) {
        let report: RecoveryReport = try await stores.value {
            CardPresentPaymentsAction.recoverPayments(onCompletion: $0)
        }
        Self.tellFinished(report)
    }

    private static func tellFinished(_ report: RecoveryReport) {
        for payment in report.finished {
            StandardError.write("cardpresent: recovered \(payment.name), which is now \(payment.state.rawValue)\n")
        }
    }

    /// How to compare the journal with what the host has.
    var comparison: HostComparison {
        HostComparison(
            isOfMessages: host.name == HostFactory.iso8583Name, hosts: (host as? RoutedHosts)?.members.map(\.name) ?? []
        )
    }

    /// Reports on stderr which payments were recovered and synced at the start, and which were not.
    func announceRecovery() {
        for identity in recovered.restored { StandardError.write("cardpresent: \(identity.text(comparison))\n") }
        Self.tellFinished(recovered)
        for payment in recovered.open {
            let reason =
                recovered.otherHosts[payment.id].map {
                    "it went to the host '\($0)', which is not the one of this configuration; fix: give --config"
                } ?? recovered.hostAnswer(about: payment.id) ?? "the host did not respond"
            StandardError.write("cardpresent: \(payment.name) is still open: \(reason)\n")
        }
        for failure in recovered.failed {
            StandardError.write("cardpresent: \(failure.payment) is still open: \(failure.error)\n")
        }
        for payment in captured.confirmed {
            StandardError.write("cardpresent: synced \(payment.name) to the store\n")
        }
        for payment in captured.open + captured.refused { CaptureWarning.report(payment) }
        for failure in captured.failed {
            StandardError.write("cardpresent: \(failure.payment) is not synced to the store yet: \(failure.error)\n")
        }
    }
}

/// The command that compares the journal with what the payment host has.
struct HostComparison: CustomStringConvertible {
    /// Whether the host speaks ISO 8583, so that it has a ledger of its own, or reports.
    let isOfMessages: Bool
    /// The names of the hosts; empty for one host only.
    let hosts: [String]

    var description: String {
        guard isOfMessages else { return "'cardpresent issuer reconcile'" }
        let command = "cardpresent issuer reconcile --acquirer FILE" + (hosts.isEmpty ? "" : " --host NAME")
        let names = hosts.isEmpty ? "" : ", and NAME one of " + hosts.joined(separator: ", ")
        return "'\(command)', where FILE is the ledger of a simulated acquirer\(names); ask any other acquirer for its "
            + "report"
    }
}
