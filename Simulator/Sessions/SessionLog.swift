import Determinism
import EMV
import EntryPoint
public import Hardware
import Payments
public import SmartCard
import Synchronization
import Text

/// The events of one session in order, and the work that waits for some of them.
final class SessionLog: Sendable {
    private struct Watch {
        let words: String
        var remaining: Int
        let act: @Sendable () -> Void
    }

    private struct State {
        var events: [SessionEvent] = []
        var count = 0
        var tracedEvents = 0
        /// The numbers of the events of the second till.
        var secondTillEvents: Set<Int> = []
        var watches: [Watch] = []
    }

    private let time: any TimeSource
    private let start: Timestamp
    private let observer: (@Sendable (SessionEvent) -> Void)?
    private let tracer: (@Sendable (TracedEvent) -> Void)?
    let keepsEvents: Bool
    private let state = Mutex(State())

    /// Creates a log. `observer` receives every event synchronously, and `tracer` what ``trace(_:)`` is given.
    init(
        _ time: any TimeSource, observer: (@Sendable (SessionEvent) -> Void)?,
        tracer: (@Sendable (TracedEvent) -> Void)? = nil, keepsEvents: Bool = true
    ) {
        (self.time, self.observer, self.tracer, self.keepsEvents) = (time, observer, tracer, keepsEvents)
        start = time.now()
    }

    /// The events so far; empty when they are not kept.
    var events: [SessionEvent] { state.withLock { $0.events } }

    /// The number of events so far.
    var count: Int { state.withLock { $0.count } }

    /// The time since the session began.
    var elapsed: Duration { .milliseconds(time.now().milliseconds - start.milliseconds) }

    /// The numbers of the events of the second till's processes.
    var eventsOfSecondTill: Set<Int> { state.withLock { $0.secondTillEvents } }

    /// Appends an event, of a till or of the world, and runs the work that waits for it before returning.
    func note(_ kind: SessionEventKind, _ detail: String = "", at till: TillPlace = .first) {
        let milliseconds = time.now().milliseconds - start.milliseconds
        let (event, acts) = state.withLock { state in
            state.count += 1
            let event = SessionEvent(number: state.count, milliseconds: milliseconds, kind: kind, detail: detail)
            if keepsEvents { state.events.append(event) }
            if till == .second, keepsEvents { state.secondTillEvents.insert(event.number) }
            guard !state.watches.isEmpty else { return (event, [@Sendable () -> Void]()) }
            var acts: [@Sendable () -> Void] = []
            for index in state.watches.indices where event.matches(state.watches[index].words) {
                state.watches[index].remaining -= 1
                if state.watches[index].remaining == 0 { acts.append(state.watches[index].act) }
            }
            state.watches.removeAll { $0.remaining <= 0 }
            return (event, acts)
        }
        observer?(event)
        for act in acts { act() }
    }

    /// Whether somebody follows the session for the models.
    var isTraced: Bool { tracer != nil }

    /// Gives an event to the tracer, with its number and time. It is no event of the session, and nothing waits for it.
    func trace(_ event: @autoclosure () -> TracedEvent) {
        guard let tracer else { return }
        var event = event()
        event.milliseconds = time.now().milliseconds - start.milliseconds
        event.number = state.withLock { state in
            state.tracedEvents += 1
            return state.tracedEvents
        }
        tracer(event)
    }

    /// Drops all work that waits for events.
    func forgetWatches() { state.withLock { $0.watches = [] } }

    /// Runs work at the `count`-th event from now that begins with these words.
    func watch(_ words: String, count: Int, _ act: @escaping @Sendable () -> Void) {
        state.withLock { $0.watches.append(Watch(words: words, remaining: max(1, count), act: act)) }
    }
}

/// An event of a simulated session.
///
/// Its ``text`` is stable across sessions, so that expectations and triggers can refer to it:
/// `journal authorizing P000001 sale`, `display APPROVED`, `host authorize sent`.
public struct SessionEvent: Hashable, Sendable, Codable {
    /// The sequence number, from 1.
    public var number: Int
    /// The simulated time since the session began, in milliseconds.
    public var milliseconds: Int64
    /// The kind of event.
    public var kind: SessionEventKind
    /// Details beyond the kind; may be empty.
    public var detail: String

    /// Creates an event.
    public init(number: Int, milliseconds: Int64, kind: SessionEventKind, detail: String = "") {
        (self.number, self.milliseconds, self.kind, self.detail) = (number, milliseconds, kind, detail)
    }

    /// The time since the session began.
    public var time: Duration { .milliseconds(milliseconds) }

    /// The kind and the detail, separated by a space.
    public var text: String { detail.isEmpty ? kind.rawValue : "\(kind.rawValue) \(detail)" }

    /// Returns whether the event begins with these words.
    public func matches(_ words: String) -> Bool {
        // Most events differ in the first letter, and then need no text.
        guard let first = words.utf8.first, first == kind.rawValue.utf8.first else { return false }
        let text = text
        return text.hasPrefix(words)
            && (text.utf8.count == words.utf8.count || text.dropFirst(words.count).first == " ")
    }
}

/// The kinds of session events. Each comment describes the event's detail.
public enum SessionEventKind: String, Hashable, Sendable, Codable, CaseIterable {
    // MARK: Steps

    /// A step began: its words.
    case step
    /// A step ended: its words, and how it ended.
    case stepEnded = "step_ended"
    /// An act on the world: its words.
    case act
    /// The process died.
    case crash
    /// A process started; the first one starts with the session.
    case start

    // MARK: The world

    /// The name of the reader.
    case pluggedIn = "plugged_in"
    /// The name of the reader.
    case unplugged
    /// A card was inserted: the name of the reader.
    case cardIn = "card_in"
    /// A card was removed: the name of the reader.
    case cardOut = "card_out"

    // MARK: Reader service

    /// It waits for a card: the accepted inputs, as `insert,swipe`.
    case waiting
    /// A display message: the text.
    case display
    /// A card is in the slot.
    case cardInserted = "card_inserted"
    /// A card was swiped.
    case cardSwiped = "card_swiped"
    /// A card was tapped.
    case cardTapped = "card_tapped"
    /// The card is out.
    case cardRemoved = "card_removed"
    /// The kernel's phase: its word, as `cardholder_verification`.
    case kernel
    /// All card details have been read.
    case cardDetailsCollected = "card_details_collected"
    /// The authorization request is about to be sent.
    case authorizing
    /// The reader asks for the card to be taken out.
    case removeCard = "remove_card"
    /// The payment was approved and the card is out.
    case approvedAndRemoved = "approved_and_removed"
    /// In percent.
    case lowBattery = "low_battery"
    /// In percent.
    case batteryResolved = "battery_resolved"
    /// The recovery step for a reader that does not respond: `abort`.
    case recovering
    /// Why: `unplugged`.
    case disconnected
    /// `reconnecting 1`, `succeeded`, `failed`
    case reconnection
    /// Firmware: `installing 40`, `available`
    case update

    // MARK: Boundaries

    /// Command and answer in hexadecimal digits, masked: `00A4… 6F…9000`.
    case apdu
    /// The kind of message, and `sent`, `answered` with the response code, or `failed`: `authorize sent`.
    case host
    /// A request to the store site has ended: method, route, and status; 0 without a response.
    case site
    /// A print job: its state and its number.
    case print

    // MARK: Till

    /// An action was dispatched: its name and arguments.
    case action
    /// An attempt's new state is about to be committed; see ``journal``.
    case saving
    /// An attempt's new state was committed: the state, the payment's attempt and its kind: `authorizing 1 sale`.
    case journal
    /// The state of a payment's notification to the store site was committed: `sent P000001`.
    case capture
    /// A receipt was committed: its kind and payment.
    case receipt
    /// A print job's state was committed: `accepted 1`.
    case printJob = "print_job"
    /// The disk refused a commit: why.
    case diskRefused = "disk_refused"
}

extension SessionEvent {
    /// Returns the ``text`` of a reader event.
    public static func text(of event: CardReaderEvent) -> String {
        let (kind, detail) = words(event)
        return detail.isEmpty ? kind.rawValue : "\(kind.rawValue) \(detail)"
    }

    /// Returns the ``text`` of an APDU exchange.
    public static func text(of entry: TraceEntry) -> String { "\(SessionEventKind.apdu.rawValue) \(words(entry))" }

    /// Returns the words for an APDU exchange.
    static func words(_ entry: TraceEntry) -> String {
        switch entry.outcome {
        case .response(let response): "\(entry.command) \(response)"
        case .failure(let error): "\(entry.command) failed \(error)"
        case .notSent(let answer): "\(entry.command) not_sent \(answer)"
        }
    }

    /// Returns the words for a reader event.
    static func words(_ event: CardReaderEvent) -> (kind: SessionEventKind, detail: String) {
        switch event {
        case .waitingForInput(let inputs): (.waiting, inputs.words.joined(separator: ","))
        case .displayMessage(let text): (.display, text)
        case .cardInserted: (.cardInserted, "")
        case .cardSwiped: (.cardSwiped, "")
        case .cardTapped: (.cardTapped, "")
        case .readerMessage(let message): (.display, words(message))
        case .cardRemoved: (.cardRemoved, "")
        case .kernel(let state): (.kernel, word(state))
        case .cardDetailsCollected: (.cardDetailsCollected, "")
        case .authorizing: (.authorizing, "")
        case .removeCardRequested: (.removeCard, "")
        case .cardRemovedAfterClientSidePaymentCapture: (.approvedAndRemoved, "")
        case .lowBattery(let level): (.lowBattery, percent(level))
        case .lowBatteryResolved(let level): (.batteryResolved, percent(level))
        case .recovering(let step): (.recovering, step.rawValue)
        case .disconnected(let reason): (.disconnected, reason.code)
        }
    }

    /// Returns the words for a message of a contactless reader: its identifier, in hexadecimal digits. ``shownText``
    /// has its text.
    private static func words(_ message: UserInterfaceRequest) -> String {
        messageWord + (message.message.map { [$0.rawValue].hexadecimal } ?? "none")
    }

    private static let messageWord = "message "

    /// The English text on the reader's display after a display event, empty when the display is cleared; nil for
    /// another event. Messages of a contactless reader have the texts of their identifiers.
    public var shownText: String? {
        guard kind == .display else { return nil }
        guard detail.hasPrefix(Self.messageWord) else { return detail }
        let digits = detail.dropFirst(Self.messageWord.count)
        guard digits.utf8.count == 2, let identifier = UInt8(digits, radix: 16) else { return "" }
        return MessageWords(.english).text(MessageIdentifier(rawValue: identifier)) ?? ""
    }

    /// The English text on the reader's display after these events; nil when there is none. The end of a step clears
    /// the display, and so does the end of the process.
    public static func shownText(after events: some BidirectionalCollection<SessionEvent>) -> String? {
        for event in events.reversed() {
            switch event.kind {
            case .display: return event.shownText.flatMap { $0.isEmpty ? nil : $0 }
            case .step, .stepEnded, .crash, .start: return nil
            default: continue
            }
        }
        return nil
    }

    /// Returns the words for a reconnection state; nil when idle.
    static func words(_ state: CardReaderReconnectionState) -> String? {
        switch state {
        case .idle: nil
        case .reconnecting(_, let attempt, _): "reconnecting \(attempt)"
        case .succeeded: "succeeded"
        case .failed: "failed"
        }
    }

    /// Returns the words for a firmware update state; nil when there is none.
    static func words(_ state: CardReaderSoftwareUpdateState) -> String? {
        switch state {
        case .none: nil
        case .available: "available"
        case .started: "started"
        case .installing(let progress): "installing \(percent(progress))"
        case .completed: "completed"
        case .failed: "failed"
        }
    }

    private static func percent(_ part: Double) -> String { String(Int((part * 100).rounded())) }

    private static func word(_ state: KernelState) -> String {
        switch state {
        case .selectingApplication: "selecting_application"
        case .choosingApplication: "choosing_application"
        case .initiatingApplication: "initiating_application"
        case .readingApplicationData: "reading_application_data"
        case .offlineDataAuthentication: "offline_data_authentication"
        case .processingRestrictions: "processing_restrictions"
        case .cardholderVerification: "cardholder_verification"
        case .enteringPIN(let prompt): prompt.isRetry ? "entering_pin again" : "entering_pin"
        case .terminalRiskManagement: "terminal_risk_management"
        case .terminalActionAnalysis(let type): "terminal_action_analysis \(type)"
        case .cardActionAnalysis: "card_action_analysis"
        case .online: "online"
        case .issuerAuthentication: "issuer_authentication"
        case .issuerScripts(let isBefore): "issuer_scripts \(isBefore ? "before" : "after")"
        case .completion(let type): "completion \(type)"
        // Logs keep the spelling that programs already read.
        case .ended(.canceled(let origin)): "ended cancelled(EMV.CancellationOrigin.\(origin))"
        case .ended(let decision): "ended \(decision)"
        }
    }
}
