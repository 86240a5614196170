public import Printing

/// Checks whether receipts can be printed.
public struct PrinterCheck: Check {
    private let configured: String?
    private let server: String?
    private let printers: any PrinterService

    /// - Parameters:
    ///   - configured: The configured printer; nil for the default printer.
    ///   - server: The print server; nil for the default server.
    ///   - printers: All printers.
    public init(configured: String?, server: String?, printers: any PrinterService) {
        (self.configured, self.server, self.printers) = (configured, server, printers)
    }

    public var name: CheckName { .printer }

    public func findings() async -> [Finding] {
        let queues: [PrintQueue]
        do throws(PrinterError) { queues = try await printers.printers() } catch {
            return [needed(Self.finding(error))]
        }
        let chosen = findings(queues)
        // Other network printers are in use, because they are configured.
        let others = queues.filter { $0.kind == .network && $0.name != chosen.printer?.name }
        var all = chosen.findings
        if let printer = chosen.printer {
            all = printer.kind == .network ? [await finding(aboutNetwork: printer)] : findings(about: printer)
        }
        for other in others { all.append(await finding(aboutNetwork: other).softened) }
        return all
    }

    /// Returns the receipt printer, or why there is none.
    private func findings(_ queues: [PrintQueue]) -> (printer: PrintQueue?, findings: [Finding]) {
        guard !queues.isEmpty else {
            let finding = needed(
                .problem(
                    .printer, "there are no print queues", cause: "receipts can be shown but not printed",
                    fix: "sudo lpadmin -p receipts -E -v ipp://PRINTER/ipp/print -m everywhere"))
            return (nil, [finding])
        }
        let names = queues.map(\.name).joined(separator: ", ")
        if let configured {
            guard let queue = queues.first(where: { $0.name == configured }) else {
                let finding = Finding.problem(
                    .printer, about: configured, "unknown printer; available: \(names)",
                    cause: "the configuration uses it",
                    fix: "cardpresent printers list, then change receipt.printer: cardpresent config show")
                return (nil, [finding])
            }
            return (queue, [])
        }
        guard let queue = queues.first(where: \.isDefault) else {
            let finding = Finding.warning(
                "no default printer; available: \(names)",
                cause: "receipts are printed only with --printer",
                fix: "cardpresent printers default \(queues.first?.name ?? "PRINTER")")
            return (nil, [finding])
        }
        return (queue, [])
    }

    private func finding(aboutNetwork printer: PrintQueue) async -> Finding {
        let place = printer.address ?? "its address"
        let look: PrintQueue
        do throws(PrinterError) { look = try await printers.look(at: printer.name) } catch {
            guard case .unreachable(_, _, let message) = error else {
                return .problem(.printer, about: printer.name, error.description, fix: "cardpresent printers info")
            }
            return .problem(
                .printer, about: printer.name, "cannot be reached at \(place): \(message)",
                cause: "it is off, disconnected, or has a new address",
                fix: "turn it on, print a self-test to get its address, and update 'printers' in the configuration")
        }
        let why = PrinterReason.words(look.reasons)
        switch look.state {
        case .stopped:
            return .problem(
                .printer, about: printer.name, "cannot print: \(why)", cause: "reported by the printer",
                fix: "fix the printer, then run: cardpresent printers test \(printer.name)")
        case .idle, .processing:
            return .ok(about: printer.name, "is ready at \(place)" + (why.isEmpty ? "" : " (\(why))"))
        case .unknown:
            return .ok(about: printer.name, "is reachable at \(place), but does not report its state")
        }
    }

    private func findings(about queue: PrintQueue) -> [Finding] {
        var findings: [Finding] = []
        let reasons = queue.reasons.filter { $0 != "none" } + (queue.message.map { [$0] } ?? [])
        let because = reasons.isEmpty ? nil : reasons.joined(separator: ", ")
        if queue.state == .stopped {
            findings.append(
                .problem(
                    .printer, about: queue.name, "the printer is stopped",
                    cause: because
                        ?? "CUPS stops a printer when a job fails; waiting jobs print when it is enabled",
                    fix: command("cupsenable", queue),
                    repair: repair("enable the printer \(queue.name)", "cupsenable", queue)))
        }
        if !queue.isAcceptingJobs {
            findings.append(
                .problem(
                    .printer, about: queue.name, "the queue does not accept jobs", cause: because,
                    fix: command("cupsaccept", queue),
                    repair: repair("let \(queue.name) accept jobs", "cupsaccept", queue)))
        }
        guard findings.isEmpty else { return findings }
        return [
            .ok(about: queue.name, "is \(queue.state.rawValue) and accepts jobs" + (because.map { " (\($0))" } ?? ""))
        ]
    }

    private func command(_ program: String, _ queue: PrintQueue) -> String {
        (["sudo", program] + (server.map { ["-h", $0] } ?? []) + [queue.name]).joined(separator: " ")
    }

    private func repair(_ purpose: String, _ program: String, _ queue: PrintQueue) -> Repair? {
        // A name must not be parsed as an option.
        guard !queue.name.hasPrefix("-") else { return nil }
        return Repair(
            purpose, steps: [.run([program] + (server.map { ["-h", $0] } ?? []) + [queue.name])],
            // The print server decides; often all members of the group lpadmin may.
            needsRoot: false)
    }

    /// Turns a problem into a warning without a configured printer, because the till may not print.
    private func needed(_ finding: Finding) -> Finding { configured == nil ? finding.softened : finding }

    private static func finding(_ error: PrinterError) -> Finding {
        switch error {
        case .libraryMissing:
            .problem(.printer, "cannot query printers: \(error)", fix: "sudo apt-get install libcups2")
        case .serverUnavailable(let server, let message):
            .problem(
                .printer, about: server, "the print server does not respond: \(message)",
                cause: "cupsd is not running, or runs elsewhere",
                fix: "sudo systemctl start cups, or set CUPS_SERVER")
        default: .problem(.printer, error.description, fix: "lpstat -t")
        }
    }
}
