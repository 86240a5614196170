internal import ArgumentParser
internal import Payments
internal import Storage
internal import Yosemite

/// `payments`
struct PaymentsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "payments", abstract: "List, show, recover, and sync payments.",
        subcommands: [ListPayments.self, ShowPayment.self, WatchPayments.self, RecoverPayments.self, SyncPayments.self])
}

/// `payments list`
struct ListPayments: TillCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List payments, newest first.",
        discussion: """
            First recovers payments that an earlier process left unfinished, and notifies the store of payments that \
            it does not have yet.
            """)

    @OptionGroup var list: ListOptions
    @OptionGroup var options: CommonOptions

    func execute() async throws {
        let till = try await options.till.open()
        try output.write(list: try await till.payments(limit: list.limit), whenEmpty: "No payments yet.")
    }
}

/// `payments show`
struct ShowPayment: TillCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show a payment and the history of its attempts.")

    @Argument(help: "Payment ID, for example P000001.")
    var payment: PaymentName
    @OptionGroup var options: CommonOptions

    func execute() async throws {
        let till = try await options.till.open()
        try output.write(try await till.payment(payment.id))
    }
}

/// `payments recover`
struct RecoverPayments: TillCommand {
    static let configuration = CommandConfiguration(
        commandName: "recover", abstract: "Recover unfinished payments.",
        discussion: """
            Reverses each sale that has no host response, and asks the host for the result of each refund. Exits with \
            4 when the host does not respond and a payment stays open.
            """)

    @OptionGroup var issuer: IssuerOptions
    @OptionGroup var options: CommonOptions

    func execute() async throws {
        let till = try await options.till.open(rules: try issuer.rules(), announcing: false)
        let report = till.recovered
        let open = report.open.count + report.failed.count
        try output.write(
            report.json,
            text: "finished \(report.finished.count), open \(open)\n" + (report.finished + report.open).text)
        for failure in report.failed { StandardError.write("cardpresent: \(failure.payment): \(failure.error)\n") }
        guard report.open.isEmpty, report.failed.isEmpty else { throw ExitCode(ExitStatus.outcomeUnknown.rawValue) }
    }
}

/// `payments sync`
struct SyncPayments: TillCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync", abstract: "Notify the store of order payments that it does not have yet.",
        discussion: """
            EXAMPLES:
              cardpresent payments sync
              cardpresent payments sync P000001

            Other commands that use payments do this when they start. Name a payment to retry one that the store \
            rejected or whose order did not match. Exits with 4 while the store cannot be notified, and with 7 when \
            it rejects a payment: refund it with 'cardpresent refund', or correct the order and retry.
            """, aliases: ["settle"])

    @Argument(help: "Payment ID, for example P000001. Default: all pending payments.")
    var payment: PaymentName?
    @OptionGroup var options: CommonOptions

    func execute() async throws {
        let till = try await options.till.open(announcing: false)
        var report = till.captured
        if let payment, !report.all.contains(where: { $0.id == payment.id }) {
            report = try await till.syncPayment(payment.id)
        } else if let payment {
            report = report.only(payment.id)
        }
        let (open, refused) = (report.open.count + report.failed.count, report.refused.count)
        try output.write(
            report.json,
            text: "synced \(report.confirmed.count), pending \(open), needs review \(refused)\n" + report.all.text)
        for payment in report.open + report.refused { CaptureWarning(payment)?.report() }
        for failure in report.failed { StandardError.write("cardpresent: \(failure.payment): \(failure.error)\n") }
        guard report.open.isEmpty, report.failed.isEmpty else { throw ExitCode(ExitStatus.outcomeUnknown.rawValue) }
        guard report.refused.isEmpty else { throw ExitCode(ExitStatus.differs.rawValue) }
    }
}

extension OrderPaymentReport {
    fileprivate var all: [Payment] { confirmed + open + refused }

    /// Returns the part of the report about one payment.
    fileprivate func only(_ id: PaymentID) -> OrderPaymentReport {
        var report = OrderPaymentReport()
        report.confirmed = confirmed.filter { $0.id == id }
        report.open = open.filter { $0.id == id }
        report.refused = refused.filter { $0.id == id }
        return report
    }
}

/// A payment on the command line: `P000001`, `p1`, or `1`.
struct PaymentName: ExpressibleByArgument, Hashable, Sendable {
    let id: PaymentID

    init?(argument: String) {
        guard let id = PaymentID(argument) else { return nil }
        self.id = id
    }
}
