import ArgumentParser
import Payments
import Storage
import Yosemite

/// `payments`
struct PaymentsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "payments", abstract: "List, show, capture, recover, and sync payments.",
        subcommands: [
            ListPayments.self, ShowPayment.self, WatchPayments.self, CapturePayment.self, IncrementPayment.self,
            CancelPayment.self, RecoverPayments.self, ClosePayment.self, SyncPayments.self,
        ])
}

/// `payments show`
struct ShowPayment: TillCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show a payment and the history of its attempts.",
        discussion: """
            EXAMPLES:
              cardpresent payments show P000001
              cardpresent payments show P000001 --json
            """)

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
            EXAMPLES:
              cardpresent payments recover
              cardpresent payments recover --json
              cardpresent payments recover --host-trace host.jsonl

            Reverses each sale that has no host response, and asks the host for the result of each refund, or reverses \
            it too where the host can't be asked. Sends captures and cancellations again that the host has not \
            confirmed, and takes back each increment of a pre-authorization that has no response; what is held stays as \
            it is. Exits with 4 when the host does not respond, or refuses what must arrive, and a payment stays open.

            Also asks the host for the last number that it knows of this database. If the host knows a later one, the \
            database was restored from a backup: it takes a new identity, and unfinished sales get the host's result.
            """)

    @OptionGroup var trace: HostTraceOptions
    @OptionGroup var issuer: IssuerOptions
    @OptionGroup var options: CommonOptions

    func execute() async throws {
        let settings = try options.till.settings()
        let hostTrace = try trace.open(settings)
        defer { hostTrace?.warn() }
        let till = try await options.till.open(
            for: Self.databaseUse, settings, rules: try issuer.rules(), announcing: false, hostTrace: hostTrace)
        let report = till.recovered
        let open = report.open.count + report.failed.count
        try output.write(
            report.json,
            text: "finished \(report.finished.count), open \(open)\n" + (report.finished + report.open).text)
        for identity in report.restored { StandardError.write("cardpresent: \(identity.text(till.comparison))\n") }
        for payment in report.open {
            guard let answer = report.hostAnswer(about: payment.id) else { continue }
            StandardError.write("cardpresent: \(payment.name) is still open: \(answer)\n")
        }
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
              cardpresent payments sync P000001 --accept --reason 'the order was deleted, and booked by hand'

            Other commands that use payments do this when they start. Name a payment to retry one that the store \
            rejected or whose order did not match. Exits with 4 while the store cannot be notified, and with 7 as \
            long as it rejects a payment or a refund, or does not match it: refund the payment with 'cardpresent \
            refund', or correct the order and retry, or record with --accept that you have dealt with it: then the \
            store is not asked about it any more. Exits with 78 when the store no longer accepts the credentials.
            """, aliases: ["settle"])

    @Argument(help: "Payment ID, for example P000001. Default: all pending payments.")
    var payment: PaymentName?
    @Flag(help: "Accept that the store does not show the payment or its refunds. Sends nothing, and moves no money.")
    var accept = false
    @Option(help: ArgumentHelp("Why it is accepted, up to 200 characters.", valueName: "text"))
    var reason: String?
    @OptionGroup var options: CommonOptions

    func validate() throws {
        guard let reason else {
            guard !accept else { throw ValidationError("--accept needs --reason TEXT") }
            return
        }
        guard accept else { throw ValidationError("--reason can be used only with --accept") }
        guard payment != nil else { throw ValidationError("--accept needs a payment") }
        try AcceptanceReason.check(reason)
    }

    func execute() async throws {
        let till = try await options.till.open(for: accept ? .changes : Self.databaseUse, announcing: false)
        let report = try await report(till)
        let (open, refused) = (report.open.count + report.failed.count, report.refused.count)
        let settled = report.settled.isEmpty ? "" : ", settled \(report.settled.count)"
        try output.write(
            report.json,
            text: "synced \(report.confirmed.count), pending \(open), needs review \(refused)\(settled)\n"
                + report.all.text)
        for payment in report.open + report.refused { CaptureWarning.report(payment) }
        for unread in report.unread {
            StandardError.write("cardpresent: \(unread.payment) could not be checked again: \(unread.reason)\n")
        }
        for failure in report.failed { StandardError.write("cardpresent: \(failure.payment): \(failure.error)\n") }
        guard report.open.isEmpty, report.failed.isEmpty else { throw ExitCode(ExitStatus.outcomeUnknown.rawValue) }
        guard report.refused.isEmpty else { throw ExitCode(ExitStatus.differs.rawValue) }
        if let signOut = till.signOut { throw ExitCode(signOut.status.rawValue) }
    }

    private func report(_ till: Till) async throws(CommandFailure) -> OrderPaymentReport {
        if let payment, let reason {
            var report = OrderPaymentReport()
            report.settled = [try await till.accept(payment.id, reason: reason)]
            return report
        }
        var report = till.captured
        if let payment, !report.all.contains(where: { $0.id == payment.id }) {
            report = try await till.syncPayment(payment.id)
        } else if let payment {
            report = report.only(payment.id)
        } else {
            let known = Set(report.all.map(\.id))
            report.refused += try await till.paymentsToReview().filter { !known.contains($0.id) }
        }
        // Nothing was asked: a password that was revoked must not look like agreement.
        if !report.wasSiteAsked { await till.checkSignIn() }
        return report
    }
}

/// The text that says why a person accepts something.
enum AcceptanceReason {
    private static let limit = 200

    /// - Throws: `ValidationError` that says what is wrong with the text, and what to do.
    static func check(_ text: String) throws {
        guard text.count <= limit else {
            throw ValidationError("--reason can have \(limit) characters, and has \(text.count): shorten it")
        }
        let isLine =
            text.contains { !$0.isWhitespace }
            && !text.unicodeScalars.contains { $0.properties.generalCategory == .control }
        guard isLine else { throw ValidationError("--reason must be one line of 1 to \(limit) characters") }
    }
}

extension OrderPaymentReport {
    fileprivate var all: [Payment] { confirmed + open + refused + settled }

    /// Returns the part of the report about one payment.
    fileprivate func only(_ id: PaymentID) -> OrderPaymentReport {
        var report = self
        report.confirmed.removeAll { $0.id != id }
        report.open.removeAll { $0.id != id }
        report.refused.removeAll { $0.id != id }
        report.settled.removeAll { $0.id != id }
        report.unread.removeAll { $0.payment != id }
        report.failed.removeAll { $0.payment != "\(id)" }
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
