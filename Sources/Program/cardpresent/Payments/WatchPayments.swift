import ArgumentParser
import Determinism
import Payments
import Yosemite

/// `payments watch`
struct WatchPayments: TillCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Show payments live, until you press Ctrl-C.",
        discussion: """
            EXAMPLES:
              cardpresent payments watch
              cardpresent payments watch --limit 5 --json
              cardpresent payments watch P000001

            On a terminal, redraws a table of the newest payments whenever one of them changes. With --json, each line \
            is a JSON object with the keys of 'payments list --json' and "change": first the recorded payments \
            ("present"), then each change ("inserted", "updated"). Payments by other cardpresent processes appear \
            within a second. Exits with 0 on Ctrl-C and SIGTERM.

            Like 'payments list', first finishes payments that a killed process left open.
            """)

    @Argument(help: ArgumentHelp("ID of a single payment to watch, such as P000001.", valueName: "payment"))
    var payment: PaymentName?
    @OptionGroup var list: WatchListOptions
    @OptionGroup var options: CommonOptions

    func validate() throws {
        guard payment == nil || list.limit == nil else {
            throw ValidationError("--limit cannot be used with a single payment")
        }
    }

    func execute() async throws {
        let display = WatchDisplay<Payment>(of: "payments", isJSON: output.json)
        try await EndlessWork.run { [self] in
            let till = try await till(display)
            if let payment { _ = try await till.payment(payment.id) }
            let watch = PaymentWatch(
                paymentID: payment?.id, limit: list.count, in: till.storage, time: SystemTimeSource())
            try await display.show(watch.updates { try await till.payment($0).payment })
        }
    }

    /// Opens the till. Without a name for the database, a watch may begin before the first payment makes it; the watch
    /// never makes it itself.
    private func till(_ display: WatchDisplay<Payment>) async throws -> Till {
        while true {
            do throws(CommandFailure) {
                return try await options.till.open(for: Self.databaseUse)
            } catch {
                guard payment == nil, !options.till.data.isNamed, error.code == CommandFailure.missingDatabase else {
                    throw error
                }
            }
            try display.showWaiting()
            try await SystemTimeSource().sleep(for: .seconds(1))
        }
    }
}
