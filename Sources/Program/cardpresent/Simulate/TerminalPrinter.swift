import Networking
import Terminal

/// The printer of a simulated terminal: the standard output. Tills that print receipts themselves do not use it.
struct TerminalPrinter: Sendable {
    let output: OutputOptions

    /// Writes the lines of a receipt.
    func print(_ receipt: TerminalReceipt) {
        let lines = receipt.lines.map { Printable.text($0.text) }
        guard output.json else {
            guard !output.quiet else { return }
            do throws(CommandFailure) {
                try StandardOutput.write(lines.map { $0 + "\n" }.joined() + "\n")
            } catch { error.report() }
            return
        }
        StandardOutput.write(event: ["event": "printed", "lines": lines] as JSONObject)
    }
}
