public import CardSecrets
public import Determinism
public import EMV
public import Hardware
public import Payments
import Sessions
public import SmartCard
import Synchronization

/// Records a payment as a scenario that can be replayed.
///
/// The recorder never affects the payment. It stores only masked data until the end: no card data, and for a PIN only
/// whether it was right.
public final class PaymentRecorder: Sendable {
    struct Record: Sendable {
        var moments: [RecordedMoment] = []
        /// The masked exchanges with the card.
        var exchanges: [TraceEntry] = []
        /// The cardholder's action at each PIN prompt, in the words of a scenario.
        var pins: [String] = []
        var declinedToChoose = false
        /// The account that the cardholder chose; nil for the default account.
        var account: AccountType?
        var answers: [IssuerAnswer] = []
        var reader: CardReader?
        /// The time of the cancellation, and the number of moments before it.
        var cancellation: (moments: Int, time: Timestamp)?
    }

    /// The time at which the recording began.
    public let start: Timestamp
    /// The local time zone at the start, in seconds east of UTC.
    public let utcOffsetSeconds: Int
    private let time: any TimeSource
    private let state = Mutex(Record())

    /// - Parameter time: the payment's time source.
    public init(time: any TimeSource) {
        (self.time, start) = (time, time.now())
        utcOffsetSeconds = time.offsetSeconds(at: start)
    }

    /// Whether a reader has prompted for a card.
    public var hasHeardOfPayment: Bool { state.withLock { !$0.moments.isEmpty } }

    var record: Record { state.withLock { $0 } }

    // MARK: Recording

    /// Notes the connected reader.
    public func note(_ reader: CardReader) { state.withLock { $0.reader = reader } }

    /// Notes a reader event.
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

    /// Notes a masked exchange with the card.
    public func note(_ entry: TraceEntry) {
        let moment = RecordedMoment(kind: .exchange, text: SessionEvent.text(of: entry), time: time.now())
        state.withLock { record in
            record.exchanges.append(entry)
            record.moments.append(moment)
            // A PIN that is entered on the reader is visible only here.
            guard record.reader?.hasPINPad == true else { return }
            switch entry.outcome {
            case .notSent(.timedOut): record.pins.append("nothing")
            case .notSent(.canceled): record.pins.append("cancel")
            case .response where entry.command.hasPrefix("0020"): record.pins.append("right")
            default: break
            }
        }
    }

    /// Notes a request to cancel the payment.
    public func noteCancellation() {
        let now = time.now()
        state.withLock { record in
            if record.cancellation == nil { record.cancellation = (record.moments.count, now) }
        }
    }

    /// Notes the cardholder's action at a PIN prompt: a word, never the digits.
    func note(pin word: String) { state.withLock { $0.pins.append(word) } }

    func noteNoChoice() { state.withLock { $0.declinedToChoose = true } }

    func note(_ account: AccountType?) { state.withLock { $0.account = account } }

    func note(_ answer: IssuerAnswer) { state.withLock { $0.answers.append(answer) } }

    // MARK: The scenario

    /// Returns the payment as a scenario file. The file has been played, so its expectations hold in a replay; comments
    /// at its start list the differences from the real payment.
    ///
    /// - Parameters:
    ///   - payment: the payment's options and its outcome.
    ///   - place: the environment of the recording.
    ///   - name: the scenario's name, which is the file's name without its extension.
    /// - Returns: the YAML text.
    /// - Throws: ``RecordingError``
    public func scenario(
        of payment: RecordedPayment, at place: RecordedPlace, name: String
    ) async throws(RecordingError) -> String {
        let draft = try RecordingDraft(record, payment, place, name: name)
        var replay = RecordingReplay(draft)
        return try await replay.text()
    }
}

/// A cardholder whose actions are recorded, without PIN digits.
public struct RecordingCardholder: CardholderInterface {
    private let cardholder: any CardholderInterface
    private let recorder: PaymentRecorder

    /// Passes every question on to `cardholder`, and tells the recorder what was done.
    public init(_ cardholder: any CardholderInterface, recorder: PaymentRecorder) {
        (self.cardholder, self.recorder) = (cardholder, recorder)
    }

    public func chooseApplication(_ applications: [ApplicationChoice]) async -> Int? {
        let choice = await cardholder.chooseApplication(applications)
        if choice == nil { recorder.noteNoChoice() }
        return choice
    }

    public func chooseAccountType(_ types: [UInt8], languages: [String]) async -> UInt8? {
        let type = await cardholder.chooseAccountType(types, languages: languages)
        recorder.note(type.flatMap { AccountType(code: $0) })
        return type
    }

    public func enterPIN(_ prompt: PINPrompt) async -> PINEntry {
        switch await cardholder.enterPIN(prompt) {
        case .entered(let pin):
            // The recorded card's response decides, so the PIN itself doesn't matter.
            recorder.note(pin: "right")
            return .entered(pin)
        case .bypassed:
            recorder.note(pin: "bypass")
            return .bypassed
        case .canceled:
            recorder.note(pin: "cancel")
            return .canceled
        case .unavailable: return .unavailable
        }
    }

    public func encipherPIN(
        _ pin: borrowing SensitiveBytes, pan: borrowing PrimaryAccountNumber
    ) async -> EncipheredPINBlock? {
        await cardholder.encipherPIN(pin, pan: pan)
    }
}

/// A host whose authorization responses are recorded, because the card receives them and a replay must send it the
/// same.
public struct RecordingHost: PaymentHost {
    private let host: any PaymentHost
    private let recorder: PaymentRecorder

    /// Passes every message on to `host`, and tells the recorder the answers.
    public init(_ host: any PaymentHost, recorder: PaymentRecorder) { (self.host, self.recorder) = (host, recorder) }

    public var name: String { host.name }

    public var canBeAsked: Bool { host.canBeAsked }

    public var knowsKeys: Bool { host.knowsKeys }

    public var adviceLimits: AdviceLimits? { host.adviceLimits }

    public var sealsCardData: Bool { host.sealsCardData }

    public func checkCardData(
        for message: MessageOfOriginal, of original: MessageIdentity, key: IdempotencyKey
    ) async throws(PaymentHostError) {
        try await host.checkCardData(for: message, of: original, key: key)
    }

    public func identity(of subject: MessageSubject) async throws(PaymentHostError) -> MessageIdentity? {
        try await host.identity(of: subject)
    }

    public func authorize(
        _ request: borrowing AuthorizationRequest
    ) async throws(PaymentHostError) -> AuthorizationResponse {
        let response = try await host.authorize(request)
        recorder.note(response.answer)
        return response
    }

    public func destination(of subject: MessageSubject) -> String? { host.destination(of: subject) }

    public func authorize(
        _ request: borrowing AuthorizationRequest, onChange: @escaping HostChange
    ) async throws(PaymentHostError) -> AuthorizationResponse {
        let response = try await host.authorize(request, onChange: onChange)
        recorder.note(response.answer)
        return response
    }

    public func reverse(_ request: ReversalRequest) async throws(PaymentHostError) { try await host.reverse(request) }

    public func advise(_ advice: AdviceRequest) async throws(PaymentHostError) { try await host.advise(advice) }

    public func inquire(
        _ key: IdempotencyKey, identity: MessageIdentity?
    ) async throws(PaymentHostError) -> InquiryResult {
        try await host.inquire(key, identity: identity)
    }

    public func lastNumbers(of identities: [String]) async throws(PaymentHostError) -> [String: Int64] {
        try await host.lastNumbers(of: identities)
    }

    public func refund(_ request: HostRefundRequest) async throws(PaymentHostError) -> AuthorizationResponse {
        try await host.refund(request)
    }

    public func increment(_ request: HostIncrementRequest) async throws(PaymentHostError) -> AuthorizationResponse {
        try await host.increment(request)
    }
}

/// An event of a recorded payment.
struct RecordedMoment: Sendable {
    enum Kind: Sendable {
        /// A reader event.
        case reader
        /// An exchange with the card.
        case exchange
    }

    var kind: Kind
    /// The text of the matching session event.
    var text: String
    /// Whether the payment waits for a person next, whose time counts.
    var waitsForPerson = false
    var time: Timestamp
}
