internal import ArgumentParser
internal import Yosemite

/// `payments settle`
struct SettlePayments: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "settle", abstract: "Tells the store of payments of its orders that it does not know of yet.",
        discussion: """
            Every command that opens the till does it, too. With a payment named the store is asked again although it \
            refused that one, or its order did not fit. Exits with 4 while the store cannot be told, and with 7 when it \
            does not take a payment: then the money goes back with 'cardpresent refund', or the order is put right.
            """)

    @Argument(help: "The payment, for example P000001. Default: every one that the store has still to be told of.")
    var payment: PaymentName?
    @OptionGroup var configurationOptions: ConfigurationOptions
    @OptionGroup var data: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await output.reporting {
            let till = try await Till.open(settings: try configurationOptions.load(), data: data)
            var report = till.captured
            if let payment, !report.all.contains(where: { $0.id == payment.id }) {
                report = try await till.settle(payment.id)
            } else if let payment {
                report = report.only(payment.id)
            }
            if output.json {
                try StandardOutput.write(json: CaptureReportView(report))
            } else {
                let (open, refused) = (report.open.count + report.failed.count, report.refused.count)
                try StandardOutput.write(
                    "\(report.confirmed.count) known to the store, \(open) still to be told, \(refused) to be decided\n"
                )
                try StandardOutput.write(PaymentTable.text(report.all))
            }
            for payment in report.open + report.refused { CaptureWarning(payment)?.report() }
            for failure in report.failed { StandardError.write("cardpresent: \(failure.payment): \(failure.error)\n") }
            guard report.open.isEmpty, report.failed.isEmpty else { throw ExitCode(ExitStatus.outcomeUnknown.rawValue) }
            guard report.refused.isEmpty else { throw ExitCode(ExitStatus.differs.rawValue) }
        }
    }
}

extension CaptureReport {
    fileprivate var all: [Payment] { confirmed + open + refused }

    /// The part that is about one payment.
    fileprivate func only(_ id: Int64) -> CaptureReport {
        var report = CaptureReport()
        report.confirmed = confirmed.filter { $0.id == id }
        report.open = open.filter { $0.id == id }
        report.refused = refused.filter { $0.id == id }
        return report
    }
}
