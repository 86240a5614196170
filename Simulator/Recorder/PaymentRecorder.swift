public import Determinism
internal import EMV
public import Hardware
internal import Sessions
public import SmartCard
internal import Synchronization

/// Listens to a payment, and writes it down as a scenario that can be played again.
///
/// It stands beside the payment and never in its way: what it is told it keeps, masked, until the end. Nothing that it
/// holds or writes is card data; a PIN is a word.
public final class PaymentRecorder: Sendable {
    struct Record: Sendable {
        var moments: [RecordedMoment] = []
        /// Masked already.
        var exchanges: [TraceEntry] = []
        /// What the cardholder did each time they were asked for the PIN, as a scenario says it.
        var pins: [String] = []
        var declinedToChoose = false
        var answers: [IssuerAnswer] = []
        var reader: CardReader?
        /// How many moments there had been when somebody cancelled, and when that was.
        var cancellation: (moments: Int, time: Timestamp)?
    }

    /// When it began to listen.
    public let start: Timestamp
    /// Of the clock on the wall then, in seconds east of UTC.
    public let utcOffsetSeconds: Int
    private let time: any TimeSource
    private let state = Mutex(Record())

    /// - Parameter time: of the payment.
    public init(time: any TimeSource) {
        (self.time, start) = (time, time.now())
        utcOffsetSeconds = time.offsetSeconds(at: start)
    }

    /// Whether a reader asked for a card.
    public var hasHeardOfPayment: Bool { state.withLock { !$0.moments.isEmpty } }

    var record: Record { state.withLock { $0 } }

    // MARK: What it is told

    /// The reader that was connected.
    public func note(_ reader: CardReader) { state.withLock { $0.reader = reader } }

    /// Something happened at the reader.
    public func note(_ event: CardReaderEvent) {
        let waits =
            switch event {
            case .waitingForInput, .removeCardRequested, .kernel(.choosingApplication), .kernel(.enteringPIN): true
            default: false
            }
        let moment = RecordedMoment(
            kind: .reader, text: SessionEvent.text(of: event), waitsForPerson: waits, time: time.now())
        state.withLock { $0.moments.append(moment) }
    }

    /// An exchange with the card, masked.
    public func note(_ entry: TraceEntry) {
        let moment = RecordedMoment(kind: .exchange, text: SessionEvent.text(of: entry), time: time.now())
        state.withLock { record in
            record.exchanges.append(entry)
            record.moments.append(moment)
            // Typed at the reader, where nobody else sees it.
            guard record.reader?.hasPINPad == true else { return }
            switch entry.outcome {
            case .notSent(.timedOut): record.pins.append("nothing")
            case .notSent(.cancelled): record.pins.append("cancel")
            case .response where entry.command.hasPrefix("0020"): record.pins.append("right")
            default: break
            }
        }
    }

    /// Somebody asks for the payment to be stopped.
    public func noteCancellation() {
        let now = time.now()
        state.withLock { record in
            if record.cancellation == nil { record.cancellation = (record.moments.count, now) }
        }
    }

    /// What the cardholder did when they were asked for the PIN: a word, never its digits.
    func note(pin word: String) { state.withLock { $0.pins.append(word) } }

    func noteNoChoice() { state.withLock { $0.declinedToChoose = true } }

    func note(_ answer: IssuerAnswer) { state.withLock { $0.answers.append(answer) } }

    // MARK: What it gives

    /// The payment as a scenario file. It has been played: what it expects is so in a replay, and what was otherwise in the
    /// real payment is said at its head.
    ///
    /// - Parameters:
    ///   - payment: how it was made, and how it ended.
    ///   - place: where.
    ///   - name: what the scenario is called: the file's name without its ending.
    /// - Returns: YAML.
    /// - Throws: ``RecordingError``
    public func scenario(
        of payment: RecordedPayment, at place: RecordedPlace, name: String
    ) async throws(RecordingError) -> String {
        let draft = try RecordingDraft(record, payment, place, name: name)
        var replay = RecordingReplay(draft)
        return try await replay.text()
    }
}
