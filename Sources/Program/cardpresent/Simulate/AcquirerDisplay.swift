import Acquirer
import Connections
import Determinism
import Money
import Monitoring
import Networking

/// Shows what happens at the simulated acquirer: a line for each message, as text or JSON. The numbers of terminals and
/// merchants come from the clients.
struct AcquirerDisplay: Sendable {
    let output: OutputOptions
    let log: ServerLog?
    let time: any TimeSource

    /// Writes the address of the started server.
    ///
    /// - Throws: `CommandFailure`
    func begin(_ address: TCPAddress, _ profile: String, usesTLS: Bool) throws(CommandFailure) {
        guard output.json else { return try StandardOutput.write("listening at \(address)\n") }
        try StandardOutput.write(
            line: ["event": "listening", "address": "\(address)", "profile": profile, "tls": usesTLS] as JSONObject)
    }

    /// Reports a client whose TLS handshake failed.
    func refused(_ peer: String, _ failure: ConnectionFailure) {
        show("refused", peer, reason: "\(failure)", isNotable: true)
    }

    func show(_ event: AcquirerEvent) {
        switch event {
        case .connected(let peer): show("connected", peer, reason: nil, isNotable: false)
        case .closed(let peer, let reason): show("closed", peer, reason: reason, isNotable: false)
        case .malformed(let peer, let reason): show("malformed", peer, reason: reason, isNotable: true)
        case .ledgerFailed(let error): show("ledgerFailed", nil, reason: "\(error)", isNotable: true)
        case .message(let report): show(report)
        }
    }

    /// Shows what is no message: in JSON always, as text only what is notable, or with `--verbose`.
    private func show(_ event: String, _ peer: String?, reason: String?, isNotable: Bool) {
        log?.write(LogLine(event, isNotable ? .warning : .info, at: time.now(), []))
        let reason = reason.map { Printable.text($0) }
        if output.json {
            StandardOutput.write(
                event: JSONObject(
                    ["event": event, "time": "\(time.now())"], known: ["peer": peer, "reason": reason]))
        } else if isNotable || output.verbose {
            StandardError.write([event, peer, reason].compactMap(\.self).joined(separator: "  ") + "\n")
        }
    }

    private func show(_ report: AcquirerReport) {
        log?.write(Self.logLine(report, at: time.now()))
        guard !output.json else { return StandardOutput.write(event: json(report)) }
        guard !output.quiet else { return }
        do throws(CommandFailure) { try StandardOutput.write(Self.line(report)) } catch { error.report() }
    }

    private func json(_ report: AcquirerReport) -> JSONObject {
        let base: JSONObject = [
            "event": "message", "time": "\(time.now())", "peer": report.peer, "type": report.type,
            "repeat": report.isRepeat,
        ]
        let object = JSONObject(
            base,
            known: [
                "kind": report.kind, "terminal": report.terminal.map { Printable.text($0) },
                "merchant": report.merchant.map { Printable.text($0) },
                "stan": report.traceNumber.map { Printable.text($0) },
                "last4": report.lastFour, "response": report.response, "meaning": report.meaning,
                "state": report.state?.rawValue, "refusal": report.refusal, "fault": report.fault?.rawValue,
                "amount": report.amount?.minorUnits,
            ])
        return report.amount.map { object.amounts(in: $0.currency) } ?? object
    }

    /// For example `0200 sale      TERM0001 000123  12.50 EUR  **** 1111  00 approved`.
    private static func line(_ report: AcquirerReport) -> String {
        var parts = [
            report.type, (report.kind ?? "unknown").padded(to: 13), Printable.text(report.terminal ?? ""),
            Printable.text(report.traceNumber ?? ""),
        ]
        if let amount = report.amount { parts.append(" \(amount)") }
        if let lastFour = report.lastFour { parts.append(" **** \(lastFour)") }
        parts.append(" " + (report.response.map { "\($0) \(report.meaning ?? "")" } ?? "no answer"))
        if report.isRepeat { parts.append("(repeat)") }
        if let refusal = report.refusal { parts.append("(\(refusal))") }
        if let fault = report.fault { parts.append("[\(fault.rawValue)]") }
        return parts.joined(separator: " ") + "\n"
    }

    private static func logLine(_ report: AcquirerReport, at moment: Timestamp) -> LogLine {
        LogLine(
            "message", .info, at: moment,
            [
                ("type", .word(report.type)), ("kind", .word(report.kind ?? "unknown")),
                ("response", .word(report.response ?? "none")), ("repeat", .word(report.isRepeat ? "yes" : "no")),
                ("fault", .word(report.fault?.rawValue ?? "no")),
            ])
    }
}
