internal import CardSecrets
internal import Determinism
internal import EMV
internal import Hardware
internal import Simulator
internal import Synchronization

/// Somebody at the reader who does nothing by themselves, and everything that they are told from outside.
final class SessionAttendant: CardholderInterface {
    private enum Question {
        case card(CardReaderInput)
        case removal
        /// On the reader's own keys.
        case readerPIN(PINPrompt)
        case pin(PINPrompt, FirstAnswer<Typed, Never>)
        case application([ApplicationChoice], FirstAnswer<Int?, Never>)
    }

    private enum Typed: Sendable { case pin(SealedBytes), bypassed, cancelled }

    private struct State {
        var question: Question?
        /// Since when something was done about the question.
        var handled: Timestamp?
        /// Typed so far on the terminal's keys; wiped when it is handed over.
        var digits: [UInt8] = []
        /// How many digits were typed on the reader's keys.
        var readerDigits = 0

        mutating func ask(_ question: Question?, handled: Timestamp? = nil) {
            (self.question, self.handled) = (question, handled)
            wipe()
        }

        mutating func wipe() {
            for index in digits.indices { digits[index] = 0 }
            (digits, readerDigits) = ([], 0)
        }
    }

    private let clock: SimulationClock
    private let pinPad: SimulatedPINPad
    private let state = Mutex(State())

    /// How long a person may take to choose, or to type a PIN on the terminal's keys.
    private static let patience = Duration.seconds(60)
    /// How long the machines may take to notice what was done about a question.
    private static let reactionTime = Duration.seconds(5)
    /// A PIN's fewest and most digits (ISO 9564-1).
    private static let pinLength = 4...12

    init(clock: SimulationClock, pinPad: SimulatedPINPad) { (self.clock, self.pinPad) = (clock, pinPad) }

    // MARK: What is asked

    /// What is waited for; nil when nothing is. Where something was done about it already, it is looked whether the
    /// machines have noticed.
    var need: SessionNeed? {
        state.withLock { state in
            switch state.question {
            case nil: nil
            case .card(let inputs): .card(ways: inputs.words)
            case .removal: .removal
            case .readerPIN(let prompt):
                .pin(isRetry: prompt.isRetry, triesLeft: prompt.triesLeft, typedDigits: state.readerDigits)
            case .pin(let prompt, _):
                .pin(isRetry: prompt.isRetry, triesLeft: prompt.triesLeft, typedDigits: state.digits.count)
            case .application(let choices, _): .application(choices.map(\.name))
            }
        }
    }

    /// How far time may go by with the question that is open: not at all as long as nobody has done anything about it,
    /// and then as long as the machines may take. Nil when nothing is asked.
    var patience: Timestamp? {
        let (isAsked, handled) = state.withLock { ($0.question != nil, $0.handled) }
        guard isAsked else { return nil }
        return handled.map { $0.advanced(by: Self.reactionTime) } ?? clock.now()
    }

    /// Something happened at the reader.
    ///
    /// - Parameters:
    ///   - event: what.
    ///   - hasCard: whether a card is in it.
    func observe(_ event: CardReaderEvent, hasCard: Bool) {
        let now = clock.now()
        state.withLock { state in
            switch event {
            case .waitingForInput(let inputs): state.ask(.card(inputs), handled: hasCard ? now : nil)
            case .removeCardRequested: state.ask(.removal, handled: hasCard ? nil : now)
            case .kernel(.enteringPIN(let prompt)):
                if prompt.place == .reader { state.ask(.readerPIN(prompt)) }
            case .displayMessage, .lowBattery, .lowBatteryResolved, .recovering: break
            case .cardInserted, .cardSwiped, .cardRemoved, .cardDetailsCollected, .authorizing, .kernel,
                .cardRemovedAfterClientSidePaymentCapture, .disconnected:
                switch state.question {
                case .card, .removal, .readerPIN: state.ask(nil)
                case .pin, .application, nil: break
                }
            }
        }
    }

    /// Nobody is asked anything any more.
    func leave() {
        let question = state.withLock { state in
            defer { state.ask(nil) }
            return state.question
        }
        switch question {
        case .pin(_, let answer): answer.give(.success(.cancelled))
        case .application(_, let answer): answer.give(.success(nil))
        case .card, .removal, .readerPIN, nil: break
        }
    }

    // MARK: What is done

    /// A card came, or went.
    func noteCard() {
        let now = clock.now()
        state.withLock { state in
            switch state.question {
            case .card, .removal: state.handled = now
            default: break
            }
        }
    }

    /// Presses a key of the terminal.
    ///
    /// - Returns: false when the terminal asks for no PIN: the key is one of the reader's then.
    func press(_ key: SimulatedReaderKey) -> Bool {
        let now = clock.now()
        let (isTaken, answer, typed) = state.withLock {
            state -> (Bool, FirstAnswer<Typed, Never>?, Typed?) in
            guard case .pin(_, let answer) = state.question else {
                if case .readerPIN = state.question { Self.note(key, at: now, in: &state) }
                return (false, nil, nil)
            }
            switch key {
            case .digit(let digit):
                if digit <= 9, state.digits.count < Self.pinLength.upperBound { state.digits.append(digit) }
                return (true, nil, nil)
            case .correction:
                state.wipe()
                return (true, nil, nil)
            case .cancel:
                state.ask(nil)
                return (true, answer, .cancelled)
            case .confirmation:
                guard !state.digits.isEmpty else {
                    state.ask(nil)
                    return (true, answer, .bypassed)
                }
                guard Self.pinLength.contains(state.digits.count) else { return (true, nil, nil) }
                let pin = SealedBytes(state.digits)
                state.ask(nil)
                return (true, answer, .pin(pin))
            }
        }
        if let typed { answer?.give(.success(typed)) }
        return isTaken
    }

    private static func note(_ key: SimulatedReaderKey, at now: Timestamp, in state: inout State) {
        switch key {
        case .digit: state.readerDigits += 1
        case .correction: state.readerDigits = 0
        case .confirmation, .cancel: state.handled = now
        }
    }

    /// Chooses an application.
    ///
    /// - Parameter index: its place among those that are offered; nil to cancel.
    /// - Returns: false when there is no such choice now.
    func choose(_ index: Int?) -> Bool {
        let answer = state.withLock { state -> FirstAnswer<Int?, Never>? in
            guard case .application(let choices, let answer) = state.question,
                index.map({ choices.indices.contains($0) }) ?? true
            else { return nil }
            state.ask(nil)
            return answer
        }
        answer?.give(.success(index))
        return answer != nil
    }

    // MARK: What the kernel asks

    func chooseApplication(_ applications: [ApplicationChoice]) async -> Int? {
        let answer = FirstAnswer<Int?, Never>()
        state.withLock { $0.ask(.application(applications, answer)) }
        return await wait(answer, orElse: nil)
    }

    func enterPIN(_ prompt: PINPrompt) async -> PINEntry {
        let answer = FirstAnswer<Typed, Never>()
        state.withLock { $0.ask(.pin(prompt, answer)) }
        switch await wait(answer, orElse: .cancelled) {
        case .pin(let digits): return .entered(digits.bytes.duplicate())
        case .bypassed: return .bypassed
        case .cancelled: return .cancelled
        }
    }

    /// Waits for a person; when the payment is cancelled or the person takes too long, for nobody.
    private func wait<Value: Sendable>(_ answer: FirstAnswer<Value, Never>, orElse other: Value) async -> Value {
        clock.schedule(after: Self.patience, .disruptive) { [weak self] in self?.giveUp(answer, other) }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { answer.wait($0) }
        } onCancel: {
            giveUp(answer, other)
        }
        return result.get()
    }

    private func giveUp<Value: Sendable>(_ answer: FirstAnswer<Value, Never>, _ other: Value) {
        state.withLock { state in
            switch state.question {
            case .pin(_, let asked) where asked === answer: state.ask(nil)
            case .application(_, let asked) where asked === answer: state.ask(nil)
            default: break
            }
        }
        answer.give(.success(other))
    }

    func encipherPIN(
        _ pin: borrowing SensitiveBytes, pan: borrowing PrimaryAccountNumber
    ) async -> EncipheredPINBlock? {
        try? pinPad.encipher(pin, pan: pan)
    }
}
