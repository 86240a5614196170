import ArgumentParser
import Determinism
import Money
import Payments
import Storage
import TillConfiguration
import Yosemite

/// `host status`
struct HostStatus: TillCommand, ReadingCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show what waits for the payment host: reversals, advices, unfinished requests.",
        discussion: """
            EXAMPLES:
              cardpresent host status
              cardpresent host status --json
              cardpresent host status --host backup

            Only reads the journal: nothing is sent, and nothing changes. Every other command that uses payments first \
            sends what waits, and 'cardpresent payments recover' does only that. A host whose profile has \
            'oneOpenReversal' gets no new payment while a reversal waits. With several hosts, shows all of them, or \
            only the one of --host.

            Exits with 4 while something waits.
            """)

    @OptionGroup var hostOption: HostOption
    @OptionGroup var options: CommonOptions

    func execute() async throws {
        let settings = try options.till.settings()
        let chosen = try hostOption.choose(from: settings)
        let storage = try Self.databaseUse.open(try options.till.data.path())
        let now = SystemTimeSource().now()
        let rows: [WaitingMessage]
        do throws(JournalError) {
            let journal = PaymentJournal(reading: storage)
            var found: [WaitingMessage] = []
            for attempt in try journal.attemptsAwaitingHost() where isShown(attempt, chosen) {
                let tries = try journal.transitions(of: attempt.id).count { $0.state == .reversing }
                found.append(WaitingMessage(attempt, reversals: tries, at: now))
            }
            rows = found
        } catch {
            throw CommandFailure(error)
        }
        let host = settings.host.kind
        let waiting = settings.otherHosts.isEmpty ? [] : chosen.map { WaitingHost($0, rows) }
        let json = JSONObject(
            [
                "host": host, "configuration": options.till.configuration.path(), "waiting": rows.map(\.json),
                "reversals": rows.count { $0.message == .reversal }, "advices": rows.count { $0.message == .advice },
                "requests": rows.count { $0.message == .request },
            ], known: ["hosts": waiting.isEmpty ? nil : waiting.map(\.json)])
        let line = rows.isEmpty ? "host \(host): nothing waits\n" : "host \(host): \(rows.count) waiting\n"
        try output.write(
            json,
            text: (waiting.isEmpty ? line : waiting.map(\.line).joined())
                + (rows.isEmpty ? "" : TextTable.text(of: rows)) + configurationLine)
        guard rows.isEmpty else { throw ExitCode(ExitStatus.outcomeUnknown.rawValue) }
    }
}

extension HostStatus {
    /// The configuration whose hosts these are, when the user did not name it; otherwise empty.
    private var configurationLine: String {
        guard options.till.config == nil else { return "" }
        let file = options.till.configuration.path()
        return "configuration: \(file ?? "no file, all defaults; name one with --config FILE")\n"
    }

    /// Without `--host`, every attempt is shown, also one that went to a host of another configuration.
    private func isShown(_ attempt: PaymentAttempt, _ chosen: [NamedAcquirer]) -> Bool {
        guard hostOption.host != nil else { return true }
        return chosen.contains { $0.settings.place == attempt.identity?.destination }
    }
}

/// How much waits for one of several hosts.
private struct WaitingHost {
    let name: String
    let address: String
    let count: Int

    init(_ host: NamedAcquirer, _ rows: [WaitingMessage]) {
        (name, address) = (host.name, host.settings.place)
        count = rows.count { $0.attempt.identity?.destination == host.settings.place }
    }

    var line: String { "host \(name): \(count == 0 ? "nothing waits" : "\(count) waiting")\n" }

    var json: JSONObject { ["hostName": name, "address": address, "waiting": count] }
}

/// A message that the host has not answered, or has not got yet.
private struct WaitingMessage: TableRow {
    enum Message: String {
        /// A request without a result.
        case request
        case reversal
        case advice
    }

    let attempt: PaymentAttempt
    let message: Message
    /// How many times a reversal was sent, or was about to be.
    let reversals: Int
    let age: Duration

    init(_ attempt: PaymentAttempt, reversals: Int, at now: Timestamp) {
        self.attempt = attempt
        self.reversals = reversals
        age = .milliseconds(max(0, now.milliseconds - attempt.createdAt.milliseconds))
        message =
            attempt.state == .authorized || attempt.state.isFinal ? .advice : reversals > 0 ? .reversal : .request
    }

    private var seconds: Int64 { age.components.seconds }

    /// Whether the advice captures what is held.
    private var isCapture: Bool { message == .advice && attempt.state == .authorized && attempt.completion != nil }

    /// How many times an advice was sent, and not accepted; nil for another message.
    private var adviceTries: Int? { message == .advice ? attempt.adviceTries : nil }

    private var triesText: String { adviceTries.map(String.init) ?? (reversals == 0 ? "" : "\(reversals)") }

    static var heads: [String] { ["payment", "message", "state", "host", "amount", "age", "tries", "note"] }

    var cells: [String] {
        [
            "\(attempt.paymentID)", isCapture ? "capture" : message.rawValue, attempt.state.rawValue,
            attempt.memberName ?? attempt.hostName,
            attempt.amount.description, ageText, triesText, attempt.lastError ?? "",
        ]
    }

    private var ageText: String {
        let (days, hours, minutes) = (seconds / 86_400, seconds / 3600 % 24, seconds / 60 % 60)
        if days > 0 { return "\(days) d \(hours) h" }
        if hours > 0 { return "\(hours) h \(minutes) min" }
        return minutes > 0 ? "\(minutes) min" : "\(seconds) s"
    }

    var json: JSONObject {
        let object = JSONObject(
            [
                "payment": "\(attempt.paymentID)", "kind": attempt.kind.rawValue, "message": message.rawValue,
                "state": attempt.state.rawValue, "host": attempt.hostName, "stan": attempt.traceNumber,
                "amount": attempt.amount.minorUnits, "createdAt": attempt.createdAt.description, "age": seconds,
                // Of reversals only.
                "tries": reversals, "error": attempt.lastError,
            ],
            known: [
                "hostName": attempt.memberName, "adviceTries": adviceTries, "capture": isCapture ? true : nil,
            ])
        return object.amounts(in: attempt.amount.currency)
    }
}
