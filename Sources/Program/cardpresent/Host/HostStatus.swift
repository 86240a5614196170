internal import ArgumentParser
internal import Determinism
internal import Money
internal import Payments
internal import Storage
internal import TillConfiguration

/// `host status`
struct HostStatus: TillCommand, ReadingCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show what waits for the payment host: reversals, advices, unfinished requests.",
        discussion: """
            EXAMPLES:
              cardpresent host status
              cardpresent host status --json

            Reads the journal only: nothing is sent, and nothing changes. Every other command that uses payments sends \
            what waits when it starts, and 'cardpresent payments recover' does only that. A host may get nothing new \
            while a reversal waits.

            Exits with 4 while something waits.
            """)

    @OptionGroup var options: CommonOptions

    func execute() async throws {
        let settings = try options.till.settings()
        let storage = try Self.databaseUse.open(try options.till.data.path())
        let now = SystemTimeSource().now()
        let rows: [WaitingMessage]
        do throws(JournalError) {
            let journal = PaymentJournal(reading: storage)
            var found: [WaitingMessage] = []
            for attempt in try journal.attemptsAwaitingHost() {
                let tries = try journal.transitions(of: attempt.id).count { $0.state == .reversing }
                found.append(WaitingMessage(attempt, reversals: tries, at: now))
            }
            rows = found
        } catch {
            throw CommandFailure(error)
        }
        let host = settings.host.kind
        let json: JSONObject = [
            "host": host, "waiting": rows.map(\.json),
            "reversals": rows.count { $0.message == .reversal }, "advices": rows.count { $0.message == .advice },
            "requests": rows.count { $0.message == .request },
        ]
        try output.write(
            json,
            text: rows.isEmpty
                ? "host \(host): nothing waits\n" : "host \(host): \(rows.count) waiting\n" + TextTable.text(of: rows))
        guard rows.isEmpty else { throw ExitCode(ExitStatus.outcomeUnknown.rawValue) }
    }
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
    let tries: Int
    let age: Duration

    init(_ attempt: PaymentAttempt, reversals: Int, at now: Timestamp) {
        self.attempt = attempt
        tries = reversals
        age = .milliseconds(max(0, now.milliseconds - attempt.createdAt.milliseconds))
        message =
            attempt.state == .authorized || attempt.state.isFinal ? .advice : reversals > 0 ? .reversal : .request
    }

    private var seconds: Int64 { age.components.seconds }

    static var heads: [String] { ["payment", "message", "state", "host", "amount", "age", "tries", "note"] }

    var cells: [String] {
        [
            "\(attempt.paymentID)", message.rawValue, attempt.state.rawValue, attempt.hostName,
            attempt.amount.description, ageText, tries == 0 ? "" : "\(tries)", attempt.lastError ?? "",
        ]
    }

    private var ageText: String {
        let (days, hours, minutes) = (seconds / 86_400, seconds / 3600 % 24, seconds / 60 % 60)
        if days > 0 { return "\(days) d \(hours) h" }
        if hours > 0 { return "\(hours) h \(minutes) min" }
        return minutes > 0 ? "\(minutes) min" : "\(seconds) s"
    }

    var json: JSONObject {
        let object: JSONObject = [
            "payment": "\(attempt.paymentID)", "kind": attempt.kind.rawValue, "message": message.rawValue,
            "state": attempt.state.rawValue, "host": attempt.hostName, "stan": attempt.stan,
            "amount": attempt.amount.minorUnits, "createdAt": attempt.createdAt.description, "age": seconds,
            "tries": tries, "error": attempt.lastError,
        ]
        return object.amounts(in: attempt.amount.currency)
    }
}
