internal import Hardware
internal import Networking
internal import Yosemite

/// What is said of a print to people.
enum PrintWords {
    /// Where it is: the printer, and the print server's number for it.
    static func place(_ print: ReceiptPrint) -> String {
        let number = print.jobID.map { "job \($0)" }
        let printer = print.printer.isEmpty ? nil : "on \(print.printer)"
        let words = [number, printer].compactMap(\.self)
        return words.isEmpty ? "" : " (" + words.joined(separator: " ") + ")"
    }

    /// Why it is as it is, behind a colon; empty when nobody says.
    static func because(_ print: ReceiptPrint) -> String { because(print.reasons, print.message) }

    /// The same of one step of its story.
    static func because(_ reasons: [String], _ message: String?) -> String {
        let words = reasons.filter { !uninteresting.contains($0) }.map(word) + [message].compactMap(\.self)
        return words.isEmpty ? "" : ": " + words.map { Printable.text($0, limit: 200) }.joined(separator: "; ")
    }

    /// In plain words, with the keyword that programs and manuals know beside them.
    private static func word(_ reason: String) -> String {
        let words = PrinterReason(reason).words
        return words == PrinterReason(reason).keyword ? reason : "\(words) (\(reason))"
    }

    /// They repeat the state.
    private static let uninteresting: Set = [
        "job-incoming", "job-queued", "job-printing", "job-completed-successfully", "processing-to-stop-point",
    ]
}
