internal import ArgumentParser
internal import Hardware
internal import Yosemite

/// Prints copies of a receipt, one after the other, and tells how it went. It ends with the first that is not as it
/// should be.
struct PrintRun: Sendable {
    var till: Till
    var receipt: StoredReceipt
    var options: PrintingOptions
    var isJSON: Bool

    /// Everything that came of it, as JSON.
    private struct View: Encodable {
        var prints: [ReceiptPrintView]
        var error: ErrorView?
    }

    /// - Parameters:
    ///   - copies: for whom.
    ///   - printer: where, when the options do not say.
    ///   - isReprint: whether they are printed again.
    /// - Throws: the exit code of a failure, which is told.
    func callAsFunction(_ copies: [ReceiptCopy], printer: String?, isReprint: Bool) async throws {
        var view = View(prints: [])
        var failure: CommandFailure?
        let isWatched = StandardError.isTerminal && !isJSON
        for copy in copies where failure == nil {
            let request = ReceiptPrintRequest(
                receiptID: receipt.id, copy: copy, printer: options.printer ?? printer, copies: options.copies,
                medium: options.media, timeout: options.wait ? .seconds(options.timeout) : nil)
            let show: @Sendable (ReceiptPrint) -> Void = { print in
                if isWatched { StandardError.write(Self.progress(print)) }
            }
            do throws(CommandFailure) {
                let print =
                    try await isReprint
                    ? till.reprint(request, onChange: show) : till.print(request, onChange: show)
                view.prints.append(ReceiptPrintView(print))
                failure = CommandFailure(print, wasAwaited: options.wait)
                if failure == nil { try tell(print, isReprint: isReprint) }
            } catch {
                failure = error
            }
        }
        view.error = failure.map(ErrorView.init)
        if isJSON { try StandardOutput.write(json: view) }
        guard let failure else { return }
        failure.report()
        throw ExitCode(failure.status.rawValue)
    }

    private static func progress(_ print: ReceiptPrint) -> String {
        "\(print.name): \(print.state.rawValue)\(PrintWords.place(print))\(PrintWords.because(print))\n"
    }

    private func tell(_ print: ReceiptPrint, isReprint: Bool) throws(CommandFailure) {
        if print.isDuplicate, !isReprint {
            StandardError.write(
                "cardpresent: the \(print.copy.rawValue) copy of \(print.paymentName) may be on paper already: this one is "
                    + "marked DUPLICATE\n")
        }
        let job = print.jobID.map { ", job \($0)" } ?? ""
        let verb: String
        switch (print.state, print.isOpen) {
        case (.completed, _): verb = "printed on"
        case (.sent, false):
            verb = "sent to"
            StandardError.write(
                "cardpresent: \(print.printer) took \(print.name) and cannot say whether there is paper: look at it\n")
        default:
            verb = "\(print.state.rawValue) on"
            StandardError.write(
                "cardpresent: \(print.name) is not waited for: 'cardpresent receipts jobs \(print.paymentName)' tells its "
                    + "end\n")
        }
        if !isJSON { try StandardOutput.write("\(verb) \(print.printer)\(job) (\(print.name))\n") }
    }
}
