import ArgumentParser
import Determinism
import Networking
import Payments
import Printing
import Yosemite

/// Prints the copies of a receipt one after the other and reports the results. Stops at the first failure.
struct PrintRun: Sendable {
    var till: Till
    var receipt: StoredReceipt
    var options: PrintingOptions
    var isJSON: Bool

    /// - Parameters:
    ///   - copies: The copies to print.
    ///   - printer: The printer, when the options name none.
    ///   - isReprint: Whether the copies were printed before.
    /// - Throws: The exit code of a failure, which has been reported.
    func callAsFunction(_ copies: [ReceiptCopy], printer: String?, isReprint: Bool) async throws {
        var prints: [ReceiptPrint] = []
        var failure: CommandFailure?
        let isWatched = StandardError.isTerminal && !isJSON
        for copy in copies where failure == nil {
            let request = ReceiptPrintRequest(
                receipt, copy: copy, printer: options.printer ?? printer, copies: options.copies,
                medium: options.paper.media, timeout: options.wait ? .seconds(options.timeout) : nil)
            let show: @Sendable (ReceiptPrint) -> Void = { print in
                if isWatched { StandardError.note(Self.progress(print)) }
            }
            do throws(CommandFailure) {
                let print = try await Waiting.on("Printing the \(copy.rawValue) copy") {
                    () async throws(CommandFailure) in
                    try await isReprint
                        ? till.reprint(request, onChange: show) : till.print(request, onChange: show)
                }
                prints.append(print)
                failure = CommandFailure(print, wasAwaited: options.wait)
                if failure == nil { try tell(print, isReprint: isReprint) }
            } catch {
                failure = error
            }
        }
        if isJSON {
            try StandardOutput.write(
                json: JSONObject(["prints": prints.map(\.json)], known: ["error": failure?.json]))
        }
        try Outcome.end(failure)
    }

    private static func progress(_ print: ReceiptPrint) -> String {
        "\(print.name): \(print.state.rawValue)\(PrintJobText.place(print))\(PrintJobText.because(print))\n"
    }

    private func tell(_ print: ReceiptPrint, isReprint: Bool) throws(CommandFailure) {
        if print.isDuplicate, !isReprint {
            StandardError.write(
                "cardpresent: the \(print.copy.rawValue) copy of \(print.paymentName) may have been printed before; this "
                    + "one is marked DUPLICATE\n")
        }
        let job = print.jobID.map { ", job \($0)" } ?? ""
        let verb: String
        switch (print.state, print.isOpen) {
        case (.completed, _): verb = "printed on"
        case (.sent, false):
            verb = "sent to"
            StandardError.write(
                "cardpresent: \(print.printer) accepted \(print.name) but does not report the result; check the paper\n"
            )
        default:
            verb = "\(print.state.rawValue) on"
            StandardError.write(
                "cardpresent: \(print.name) was not awaited; check it with "
                    + "'cardpresent receipts jobs \(print.paymentName)'\n")
        }
        if !isJSON { try StandardOutput.write("\(verb) \(print.printer)\(job) (\(print.name))\n") }
    }
}

extension ReceiptPrint {
    /// The print job as JSON.
    var json: JSONObject {
        [
            "id": name, "payment": paymentName, "receipt": receiptID, "copy": copy.rawValue, "copies": copies,
            // The job is the print server's ID.
            "printer": printer, "job": jobID, "medium": medium, "format": format, "state": state.rawValue,
            // Whether the state can still change, the copy is marked DUPLICATE, and the copy may be on paper.
            "reasons": reasons, "message": message, "open": isOpen, "duplicate": isDuplicate,
            "mayBePrinted": mayBePrinted, "createdAt": createdAt.description, "updatedAt": updatedAt.description,
        ]
    }
}

extension ReceiptPrint.State {
    /// The color of the state; nil while it can still become anything.
    fileprivate var color: WordColor? {
        switch self {
        case .completed: .good
        case .failed: .bad
        case .unknown: .doubtful
        case .queued, .accepted, .sent: nil
        }
    }
}

extension ReceiptPrintHistory: CommandResult {
    var json: JSONObject {
        let steps = steps.map { step in
            JSONObject(
                ["state": step.state.rawValue, "at": step.at.description, "reasons": step.reasons],
                known: ["message": step.message])
        }
        return JSONObject(extending: print.json, with: ["steps": steps])
    }

    /// The print job, followed by its state changes.
    var text: String {
        let head = [
            print.name, print.paymentName,
            "\(print.copy.rawValue) copy" + (print.copies > 1 ? " ×\(print.copies)" : ""),
            WordColor.onOutput(print.state.rawValue, print.state.color) + PrintJobText.place(print),
            print.isDuplicate && print.mayBePrinted ? "DUPLICATE" : "",
        ].filter { !$0.isEmpty }
        let lines = steps.map { step in
            "  \(step.at.millisecondText)  \(step.state.rawValue)\(PrintJobText.because(step.reasons, step.message))"
        }
        return ([head.joined(separator: "  ")] + lines).joined(separator: "\n") + "\n"
    }
}

/// Text about print jobs.
enum PrintJobText {
    /// Returns the job ID and printer in parentheses.
    static func place(_ print: ReceiptPrint) -> String {
        let number = print.jobID.map { "job \($0)" }
        let printer = print.printer.isEmpty ? nil : "on \(print.printer)"
        let words = [number, printer].compactMap(\.self)
        return words.isEmpty ? "" : " (" + words.joined(separator: " ") + ")"
    }

    /// Returns the reasons of the state after a colon; empty when there are none.
    static func because(_ print: ReceiptPrint) -> String { because(print.reasons, print.message) }

    /// Returns the reasons of a state change after a colon; empty when there are none.
    static func because(_ reasons: [String], _ message: String?) -> String {
        let words = reasons.filter { !uninteresting.contains($0) }.map(word) + [message].compactMap(\.self)
        return words.isEmpty ? "" : ": " + words.map { Printable.text($0, limit: 200) }.joined(separator: "; ")
    }

    /// Returns a reason in words, followed by its IPP keyword.
    private static func word(_ reason: String) -> String {
        let words = PrinterReason(reason).words
        return words == PrinterReason(reason).keyword ? reason : "\(words) (\(reason))"
    }

    /// Reasons that only repeat the state.
    private static let uninteresting: Set = [
        "job-incoming", "job-queued", "job-printing", "job-completed-successfully", "processing-to-stop-point",
    ]
}
