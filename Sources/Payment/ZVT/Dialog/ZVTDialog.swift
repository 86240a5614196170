import Payments
import Terminal
import Text

/// A command of a till, from the positive answer to its completion.
struct ZVTDialog: Sendable {
    /// Where the dialog is.
    enum Stage: Sendable {
        /// The transaction that the till did not see is reversed, before the request begins.
        case takingBack(IdempotencyKey, before: TerminalRequest)
        /// The terminal model works.
        case running(IdempotencyKey)
        /// The messages of the result are sent. The key is nil when nothing depends on their arrival.
        case reporting(IdempotencyKey?)
        /// The result did not arrive, and is reversed. The till gets the code then.
        case undoing(IdempotencyKey, ZVTResult)
    }

    /// A message that waits for the till's answer, or for its turn.
    struct Outgoing: Sendable {
        enum Kind: Sendable {
            /// An intermediate status: nothing depends on its answer.
            case progress
            case status
            case receipt
            /// 06 0F or 06 1E: the till has the right to send commands again.
            case last
        }

        let kind: Kind
        let message: ZVTMessage
    }

    /// The till's command.
    let command: ZVTMessage
    let connection: Int
    var stage: Stage
    var isConnected = true
    /// The messages in their order. The first one was sent when ``isAwaitingAnswer``.
    var outgoing: [Outgoing] = []
    var isAwaitingAnswer = false
    /// Whether a status information waits to be sent again.
    var isPausing = false
    /// How often the status information was sent again.
    var repetitions = 0
    /// Whether its time was over before, and its request did not end since.
    var isOverdue = false
    /// The intermediate status that the till was shown last.
    var shown: UInt8?
    /// The transaction that a till is shown again (06 20): with its answer it knows that the transaction stands.
    var repeated: IdempotencyKey?

    /// Whether a status information or a receipt is without its answer.
    var hasUndelivered: Bool { outgoing.contains { $0.kind == .status || $0.kind == .receipt } }
}

/// The last transaction that a till of the newer rule was shown (tag 1F1F). Such a till repeats the number that it
/// knows in its next command, and so says whether it saw the last one.
struct ZVTLastTransaction: Sendable {
    /// The number that the till knew before the last transaction.
    private var known: Int64?
    private var last: (number: Int64, key: IdempotencyKey)?

    init() {}

    /// Takes the number that a till repeats; nil for an empty one, which is that of a new till.
    ///
    /// - Returns: the key of the last transaction when the till did not see it.
    mutating func key(unseenBy number: Int64?) -> IdempotencyKey? {
        defer { known = number }
        guard let number, let last, number != last.number, number == known || number == last.number - 1 else {
            return nil
        }
        self.last = nil
        return last.key
    }

    /// What a terminal keeps of it: the number that the till knew before.
    var note: String { known.map { "{\"asks\":true,\"known\":\($0)}" } ?? "{\"asks\":true}" }

    /// Takes up what ``note`` kept of the last transaction; false when its till does not ask.
    mutating func takeUp(_ note: String, _ number: Int64, _ key: IdempotencyKey) -> Bool {
        guard let json = JSONReader.node(Array(note.utf8)), json["asks"] == .bool(true) else { return false }
        known = json["known"]?.textValue.flatMap { Int64($0) }
        last = (number, key)
        return true
    }

    /// Says that a transaction was approved.
    mutating func show(_ number: Int64, _ key: IdempotencyKey) { last = (number, key) }
}

// The work of a dialog.
extension ZVTTerminal {
    /// Begins a dialog with the positive answer.
    mutating func beginDialog(_ command: ZVTMessage, _ connection: Int, _ stage: ZVTDialog.Stage) {
        send(.positive, on: connection)
        dialog = ZVTDialog(command: command, connection: connection, stage: stage)
    }

    mutating func endDialog() {
        dialog = nil
        for timer: ZVTTimer in [.answer, .dialog, .repetition, .status] { stop(timer) }
    }

    /// Sends the next message, when the till has answered the one before.
    mutating func pump() {
        guard let dialog, !dialog.isAwaitingAnswer, !dialog.isPausing, let next = dialog.outgoing.first else { return }
        self.dialog?.isAwaitingAnswer = true
        start(.answer, patience(next.kind))
        send(next.message, on: dialog.connection)
    }

    /// How long the till may take for its answer. It may ask for more time for a status information.
    private func patience(_ kind: ZVTDialog.Outgoing.Kind) -> Duration {
        guard kind == .status, let command = dialog?.command else { return options.answerTimeout }
        if let seconds = command.bytes(0x01)?.first, seconds > 0 { return .seconds(Int(seconds)) }
        return command.bytes(0x02) == nil ? options.answerTimeout : .seconds(30)
    }

    /// Looks at the terminal model, and does what follows.
    mutating func advance(_ terminal: inout TerminalModel) {
        guard let stage = dialog?.stage else { return }
        switch stage {
        case .reporting: break
        case .running(let key):
            switch terminal.status(of: key) {
            case .running(let progress): show(progress)
            case .finished(let record): report(record, &terminal)
            case .unknown: finish(with: .systemError)
            }
        case .takingBack(let key, let request):
            guard let record = finished(key, &terminal) else { return }
            guard record.outcome.transaction != nil else { return finish(with: .notReversible) }
            // Without its connection, the till has not asked for anything any more.
            guard dialog?.isConnected == true else { return endDialog() }
            run(request, &terminal)
        case .undoing(let key, let result):
            guard let record = finished(key, &terminal) else { return }
            note(reversal: record)
            finish(with: record.outcome.transaction == nil ? .notReversible : result)
        }
    }

    /// Returns the record of a reversal, and frees the terminal; nil while it runs.
    private mutating func finished(_ key: IdempotencyKey, _ terminal: inout TerminalModel) -> TerminalRecord? {
        switch terminal.status(of: key) {
        case .running:
            show(.recovering)
            return nil
        case .finished(let record):
            terminal.confirm(key)
            return record
        case .unknown:
            finish(with: .systemError)
            return nil
        }
    }

    /// Starts a request in a dialog that has begun.
    private mutating func run(_ request: TerminalRequest, _ terminal: inout TerminalModel) {
        do throws(TerminalRefusal) { _ = try terminal.start(request) } catch {
            finish(with: .pleaseWait)
            return
        }
        dialog?.stage = .running(request.key)
        start(.dialog, options.dialogTimeout)
        advance(&terminal)
    }

    /// Shows a step to a till that wants intermediate statuses.
    private mutating func show(_ progress: TerminalProgress) {
        guard let status = progress.intermediateStatus, let dialog, dialog.shown != status else { return }
        self.dialog?.shown = status
        self.dialog?.isOverdue = false
        start(.dialog, options.dialogTimeout)
        guard dialog.isConnected, registration.wantsIntermediateStatus else { return }
        sendProgress(status)
    }

    /// Sends the intermediate status again, so that the till goes on waiting.
    mutating func repeatProgress() {
        guard let dialog, dialog.isConnected, let status = dialog.shown, !dialog.isAwaitingAnswer else { return }
        if case .reporting = dialog.stage { return }
        sendProgress(status)
    }

    private mutating func sendProgress(_ status: UInt8) {
        // Only the newest step is worth sending.
        dropProgress()
        dialog?.outgoing.append(
            .init(kind: .progress, message: ZVTMessage(.intermediateStatus, head: [.status(status)])))
        start(.repetition, options.repetition)
        pump()
    }

    /// Forgets intermediate statuses that were not sent yet.
    private mutating func dropProgress() {
        guard let dialog else { return }
        let sent = dialog.isAwaitingAnswer ? 1 : 0
        self.dialog?.outgoing =
            Array(dialog.outgoing.prefix(sent)) + dialog.outgoing.dropFirst(sent).filter { $0.kind != .progress }
    }

    /// Ends a dialog with an error: a status information, where it is due, and 06 1E.
    private mutating func finish(with result: ZVTResult) {
        guard let dialog, dialog.isConnected else { return endDialog() }
        self.dialog?.stage = .reporting(nil)
        dropProgress()
        if case .undoing = dialog.stage {
            enqueue(.status, ZVTMessage(.statusInformation, fields: [ZVTField(0x27, [result.rawValue])]))
        }
        enqueue(.last, ZVTMessage(.abort, head: [.result(result)]))
        stop(.repetition)
        stop(.dialog)
        pump()
    }

    mutating func enqueue(_ kind: ZVTDialog.Outgoing.Kind, _ message: ZVTMessage) {
        dialog?.outgoing.append(.init(kind: kind, message: message))
    }

    /// Sends the result of a request: status information, receipts, and the end.
    private mutating func report(_ record: TerminalRecord, _ terminal: inout TerminalModel) {
        guard let command = dialog?.command, let isConnected = dialog?.isConnected else { return }
        let key = record.request.key
        stop(.repetition)
        stop(.dialog)
        if let transaction = record.outcome.transaction, sendsLastTransaction(command) {
            lastTransaction.show(Int64(transaction.receiptNumber), key)
        }
        guard isConnected else { return abandon(key, &terminal) }
        dialog?.stage = .reporting(key)
        dropProgress()
        if record.request.operation.movesMoney || record.outcome.isDoneWithTotals {
            enqueue(.status, statusInformation(for: command).message(of: record))
        }
        printReceipts(of: record, command, &terminal)
        let result = ZVTResult(record.outcome)
        enqueue(
            .last, result == .approved ? ZVTMessage(.completion) : ZVTMessage(.abort, head: [.result(result)]))
        confirmIfDelivered(&terminal)
        pump()
    }

    /// Prints the receipts that the till wants, at the till or at the terminal.
    mutating func printReceipts(
        of record: TerminalRecord, _ command: ZVTMessage, _ terminal: inout TerminalModel
    ) {
        let receipts = wantedReceipts(of: record, command)
        if printsAtTill(command) {
            let print = ZVTReceiptPrint(registration: registration)
            for message in receipts.flatMap({ print.messages(of: $0) }) { enqueue(.receipt, message) }
        } else if printsAtTerminal(command) {
            terminal.print(receipts)
        }
    }

    /// Takes the till's answer to the message that was sent.
    mutating func takeAnswer(_ answer: ZVTMessage, _ connection: Int, _ terminal: inout TerminalModel) {
        guard let dialog, dialog.connection == connection, dialog.isAwaitingAnswer, let sent = dialog.outgoing.first
        else { return }
        stop(.answer)
        self.dialog?.isAwaitingAnswer = false
        switch sent.kind {
        case .progress: self.dialog?.outgoing.removeFirst()
        case .last: return endDialog()
        case .status:
            let limit = dialog.command.bytes(0x02)?.first.map { Int($0) } ?? options.statusRepetitions
            if answer.control == .pleaseWait, dialog.repetitions < limit {
                self.dialog?.repetitions += 1
                self.dialog?.isPausing = true
                return start(.status, options.statusPause)
            }
            guard answer.control.isPositive else { return refuse(.aborted, &terminal) }
            self.dialog?.outgoing.removeFirst()
        case .receipt:
            guard answer.control.isPositive else { return refuse(.printerNotReady, &terminal) }
            self.dialog?.outgoing.removeFirst()
        }
        confirmIfDelivered(&terminal)
        pump()
    }

    /// The till has everything of the result: it stands.
    private mutating func confirmIfDelivered(_ terminal: inout TerminalModel) {
        guard let dialog, !dialog.hasUndelivered, case .reporting(let result) = dialog.stage,
            let key = result ?? dialog.repeated
        else { return }
        terminal.confirm(key)
        owed.remove(key)
        self.dialog?.stage = .reporting(nil)
    }

    /// The till says that it does not take the result: it is reversed.
    private mutating func refuse(_ result: ZVTResult, _ terminal: inout TerminalModel) {
        self.dialog?.outgoing = []
        guard case .reporting(let key?)? = dialog?.stage else { return finish(with: result) }
        undo(key, result, &terminal)
    }

    /// The result can't reach the till: a till of the older rule does not know of it, and it is reversed. One of the
    /// newer rule asks.
    mutating func abandon(_ key: IdempotencyKey?, _ terminal: inout TerminalModel) {
        guard let key, let command = dialog?.command else { return endDialog() }
        guard !sendsLastTransaction(command) else {
            terminal.confirm(key)
            return endDialog()
        }
        undo(key, .aborted, &terminal)
    }

    mutating func undo(
        _ key: IdempotencyKey, _ result: ZVTResult, _ terminal: inout TerminalModel, again: Bool = false
    ) {
        do throws(TerminalRefusal) {
            let reversal = try terminal.takeBack(key, again: again)
            dialog?.stage = .undoing(reversal, result)
            dialog?.shown = nil
            advance(&terminal)
        } catch {
            if case .busy = error {
                // A till of another protocol has the reader, as after a start.
                owed.add(key)
                waitForReversal()
            } else {
                // Nothing was charged, or the answer can still be asked for: a reversal is not reversed.
                terminal.confirm(key)
                owed.remove(key)
            }
            finish(with: result)
        }
    }
}

extension TerminalOutcome {
    /// Whether there are totals, which a till gets as status information.
    fileprivate var isDoneWithTotals: Bool {
        if case .done(let report) = self { report.totals != nil } else { false }
    }
}
