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

/// `payments show`
struct ShowPayment: TillCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show a payment and the history of its attempts.")

    @Argument(help: "Payment ID, for example P000001.")
    var payment: PaymentName
    @OptionGroup var options: CommonOptions

    func execute() async throws {
        let till = try await options.till.open(for: Self.databaseUse)
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

            Also asks the host for the last number that it knows of this database. If the host knows a later one, the \
            database was restored from a backup: it takes a new identity, and unfinished sales get the host's result.
            """)

    @OptionGroup var issuer: IssuerOptions
    @OptionGroup var options: CommonOptions

    func execute() async throws {
        let till = try await options.till.open(for: Self.databaseUse, rules: try issuer.rules(), announcing: false)
        let report = till.recovered
        let open = report.open.count + report.failed.count
        try output.write(
            report.json,
            text: "finished \(report.finished.count), open \(open)\n" + (report.finished + report.open).text)
        for identity in report.restored { StandardError.write("cardpresent: \(identity.text)\n") }
        for failure in report.failed { StandardError.write("cardpresent: \(failure.payment): \(failure.error)\n") }
        guard report.open.isEmpty, report.failed.isEmpty else { throw ExitCode(ExitStatus.outcomeUnknown.rawValue) }
    }
}

/// `payments sync`
struct SyncPayments: TillCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync", abstract: "Notify the store of order payments and refunds that it does not have yet.",
        discussion: """
            EXAMPLES:
              cardpresent payments sync
              cardpresent payments sync P000001

            Other commands that use payments do this when they start. Name a payment to retry one that the store \
            rejected or whose order did not match. Exits with 4 while the store cannot be notified, and with 7 as \
            long as it rejects a payment or a refund, or does not match it: refund the payment with 'cardpresent \
            refund', or correct the order and retry. Exits with 78 when the store no longer accepts the credentials.
            """, aliases: ["settle"])

    @Argument(help: "Payment ID, for example P000001. Default: all pending payments.")
    var payment: PaymentName?
    @OptionGroup var options: CommonOptions

    func execute() async throws {
        let till = try await options.till.open(for: Self.databaseUse, announcing: false)
        var report = till.captured
        if let payment, !report.all.contains(where: { $0.id == payment.id }) {
            report = try await till.syncPayment(payment.id)
        } else if let payment {
            report = report.only(payment.id)
        } else {
            // Nothing was asked: a password that was revoked must not look like agreement.
            if report.all.isEmpty { await till.checkSignIn() }
            let known = Set(report.all.map(\.id))
            report.refused += try await till.paymentsToReview().filter { !known.contains($0.id) }
        }
        let (open, refused) = (report.open.count + report.failed.count, report.refused.count)
        try output.write(
            report.json,
            text: "synced \(report.confirmed.count), pending \(open), needs review \(refused)\n" + report.all.text)
        for payment in report.open + report.refused { CaptureWarning.report(payment) }
        for failure in report.failed { StandardError.write("cardpresent: \(failure.payment): \(failure.error)\n") }
        guard report.open.isEmpty, report.failed.isEmpty else { throw ExitCode(ExitStatus.outcomeUnknown.rawValue) }
        guard report.refused.isEmpty else { throw ExitCode(ExitStatus.differs.rawValue) }
        if let signOut = till.signOut { throw ExitCode(signOut.status.rawValue) }
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
