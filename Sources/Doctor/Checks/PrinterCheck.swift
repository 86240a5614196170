public import Hardware

/// Whether receipts can be printed.
public struct PrinterCheck: Check {
    private let configured: String?
    private let server: String?
    private let queues: @Sendable () async throws(PrinterError) -> [PrintQueue]

    /// - Parameters:
    ///   - configured: the queue that the configuration names; nil for the print server's default.
    ///   - server: the print server, where it is not the usual one.
    ///   - queues: asks the print server.
    public init(
        configured: String?, server: String?,
        queues: @escaping @Sendable () async throws(PrinterError) -> [PrintQueue]
    ) {
        (self.configured, self.server, self.queues) = (configured, server, queues)
    }

    public var name: CheckName { .printer }

    public func findings() async -> [Finding] {
        let queues: [PrintQueue]
        do throws(PrinterError) { queues = try await self.queues() } catch {
            return [needed(Self.finding(error))]
        }
        guard !queues.isEmpty else {
            return [
                needed(
                    .problem(
                        .printer, "there are no print queues", cause: "receipts can be shown, not printed",
                        fix: "sudo lpadmin -p receipts -E -v ipp://PRINTER/ipp/print -m everywhere"))
            ]
        }
        let names = queues.map(\.name).joined(separator: ", ")
        if let configured {
            guard let queue = queues.first(where: { $0.name == configured }) else {
                return [
                    .problem(
                        .printer, about: configured, "there is no such print queue; there are \(names)",
                        cause: "the configuration names it",
                        fix: "lpstat -e, then change receipt.printer: cardpresent config show")
                ]
            }
            return findings(about: queue)
        }
        guard let queue = queues.first(where: \.isDefault) else {
            return [
                .warning(
                    "no print queue is the default; there are \(names)",
                    cause: "receipts are printed only where --printer names a queue",
                    fix: "sudo lpadmin -d \(queues.first?.name ?? "QUEUE")")
            ]
        }
        return findings(about: queue)
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
                        ?? "CUPS stops a printer when a job fails; jobs that wait are printed when it goes on",
                    fix: command("cupsenable", queue),
                    repair: repair("let \(queue.name) print again", "cupsenable", queue)))
        }
        if !queue.isAcceptingJobs {
            findings.append(
                .problem(
                    .printer, about: queue.name, "the queue takes no jobs", cause: because,
                    fix: command("cupsaccept", queue),
                    repair: repair("let \(queue.name) take jobs", "cupsaccept", queue)))
        }
        guard findings.isEmpty else { return findings }
        return [
            .ok(about: queue.name, "is \(queue.state.rawValue) and takes jobs" + (because.map { " (\($0))" } ?? ""))
        ]
    }

    private func command(_ program: String, _ queue: PrintQueue) -> String {
        (["sudo", program] + (server.map { ["-h", $0] } ?? []) + [queue.name]).joined(separator: " ")
    }

    private func repair(_ purpose: String, _ program: String, _ queue: PrintQueue) -> Repair? {
        // A name must not be taken for an option.
        guard !queue.name.hasPrefix("-") else { return nil }
        return Repair(
            purpose, steps: [.run([program] + (server.map { ["-h", $0] } ?? []) + [queue.name])],
            // The print server decides who may: often every member of the group lpadmin.
            needsRoot: false)
    }

    /// A till whose configuration names no printer may be one that prints nothing.
    private func needed(_ finding: Finding) -> Finding { configured == nil ? finding.softened : finding }

    private static func finding(_ error: PrinterError) -> Finding {
        switch error {
        case .libraryMissing:
            .problem(.printer, "cannot be asked: \(error)", fix: "sudo apt-get install libcups2")
        case .serverUnavailable(let server, let message):
            .problem(
                .printer, about: server, "the print server does not answer: \(message)",
                cause: "cupsd does not run, or is elsewhere",
                fix: "sudo systemctl start cups, or set CUPS_SERVER")
        default: .problem(.printer, error.description, fix: "lpstat -t")
        }
    }
}
