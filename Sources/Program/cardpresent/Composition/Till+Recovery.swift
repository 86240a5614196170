import Payments
import Yosemite

extension Till {
    /// Stops a command that moves money, before it needs a reader, when the report at the start says that the database
    /// is a restored backup: the person asked before the report. The next run goes on, under the new identity. The
    /// store itself refuses when it finds the backup later.
    ///
    /// - Throws: `CommandFailure`
    func stopIfRestored() throws(CommandFailure) {
        if let refusal = recovered.refusal { throw CommandFailure(refusal) }
    }

    /// Reports on stderr which payments were recovered and synced at the start, and which were not.
    func announceRecovery() {
        for identity in recovered.restored { StandardError.write("cardpresent: \(identity.text)\n") }
        for payment in recovered.finished {
            StandardError.write(
                "cardpresent: recovered \(payment.name), which is now \(payment.state.rawValue)\n")
        }
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
