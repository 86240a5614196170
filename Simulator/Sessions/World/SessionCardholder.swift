import CardSecrets
import Concurrency
import Determinism
import EMV
import Hardware
import Simulator
import Synchronization

/// The cardholder of the current payment.
final class SessionCardholder: CardholderInterface {
    private struct State {
        var card: SessionCard?
        var cardholder: SimulatedCardholder?
        var presentsCard = true
        var reader: SessionReader?
    }

    /// The cardholder of payments by hand.
    let attendant: ManualCardholder

    private let state = Mutex(State())

    init(attendant: ManualCardholder) { self.attendant = attendant }

    /// The cardholder's card, in the hand or in the reader; nil before the first payment.
    var card: SessionCard? { state.withLock { $0.card } }

    /// Sets the cardholder of the next payment.
    func change(to cardholder: SimulatedCardholder, with card: SessionCard, presentsCard: Bool) {
        attendant.leave()
        state.withLock { ($0.cardholder, $0.card, $0.presentsCard, $0.reader) = (cardholder, card, presentsCard, nil) }
    }

    /// Prepares a payment by hand.
    func standBack(from reader: SessionReader, with card: SessionCard) {
        attendant.leave()
        reader.parts.chip?.onPINRequest(nil)
        state.withLock { ($0.cardholder, $0.card, $0.reader) = (nil, card, reader) }
    }

    /// Handles an event of the reader.
    func observe(_ event: CardReaderEvent) {
        let (cardholder, presentsCard, reader) = state.withLock { ($0.cardholder, $0.presentsCard, $0.reader) }
        if let reader { return attendant.observe(event, hasCard: reader.hasCardInSlot || reader.hasCardInField) }
        if presentsCard { cardholder?.observe(event.cardPrompt) }
    }

    private var cardholder: (any CardholderInterface)? {
        state.withLock { state -> (any CardholderInterface)? in
            if state.reader == nil { state.cardholder } else { attendant }
        }
    }

    func chooseApplication(_ applications: [ApplicationChoice]) async -> Int? {
        await cardholder?.chooseApplication(applications)
    }

    /// A cardholder by hand takes the default account.
    func chooseAccountType(_ types: [UInt8], languages: [String]) async -> UInt8? {
        await cardholder?.chooseAccountType(types, languages: languages)
    }

    func enterPIN(_ prompt: PINPrompt) async -> PINEntry {
        guard let cardholder else { return .canceled }
        return await cardholder.enterPIN(prompt)
    }

    func encipherPIN(
        _ pin: borrowing SensitiveBytes, pan: borrowing PrimaryAccountNumber
    ) async -> EncipheredPINBlock? {
        guard let cardholder else { return nil }
        return await cardholder.encipherPIN(pin, pan: pan)
    }
}

/// A cardholder that acts only on calls from outside.
final class ManualCardholder: CardholderInterface {
    private enum Question {
        case card(CardReaderInput)
        case removal
        /// PIN entry on the reader's own keys.
        case readerPIN(PINPrompt)
        case pin(PINPrompt, FirstAnswer<Typed, Never>)
        case application([ApplicationChoice], FirstAnswer<Int?, Never>)
    }

    private enum Typed: Sendable { case pin(SealedBytes), bypassed, canceled }

    private struct State {
        var question: Question?
        /// When the caller acted on the question; nil before.
        var handled: Timestamp?
        /// Whether a card was tapped since the caller acted. One that stays in the field is no answer to the next
        /// question: a phone first wants its owner.
        var wasTapped = false
        /// The digits typed so far on the terminal's keys; wiped after use.
        var digits: [UInt8] = []
        /// The number of digits typed on the reader's keys.
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

    /// The time limit for a choice or a PIN on the terminal's keys.
    private static let timeLimit = Duration.seconds(60)
    /// The time that the devices may take to react to the caller's action.
    private static let reactionTime = Duration.seconds(5)
    /// The length of a PIN (ISO 9564-1).
    private static let pinLength = 4...12

    init(clock: SimulationClock, pinPad: SimulatedPINPad) { (self.clock, self.pinPad) = (clock, pinPad) }

    // MARK: Questions

    /// The action that the payment is waiting for; nil for none. After an action by the caller, this checks whether the
    /// devices have reacted.
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

    /// The latest moment to which time may pass with the open question: the current one until the caller acts, then the
    /// end of the reaction time. Nil without a question.
    var callerDeadline: Timestamp? {
        let (isAsked, handled) = state.withLock { ($0.question != nil, $0.handled) }
        guard isAsked else { return nil }
        return handled.map { $0.advanced(by: Self.reactionTime) } ?? clock.now()
    }

    /// Handles an event of the reader.
    ///
    /// - Parameters:
    ///   - event: the event.
    ///   - hasCard: whether a card is in the reader.
    func observe(_ event: CardReaderEvent, hasCard: Bool) {
        let now = clock.now()
        state.withLock { state in
            switch event {
            case .waitingForInput(let inputs):
                state.ask(.card(inputs), handled: hasCard && !state.wasTapped ? now : nil)
            case .removeCardRequested: state.ask(.removal, handled: hasCard ? nil : now)
            case .kernel(.enteringPIN(let prompt)):
                if prompt.place == .reader { state.ask(.readerPIN(prompt)) }
            case .displayMessage, .readerMessage, .lowBattery, .lowBatteryResolved, .recovering: break
            case .cardInserted, .cardSwiped, .cardTapped, .cardRemoved, .cardDetailsCollected, .authorizing, .kernel,
                .cardRemovedAfterClientSidePaymentCapture, .disconnected:
                switch state.question {
                case .card, .removal, .readerPIN: state.ask(nil)
                case .pin, .application, nil: break
                }
                if event == .cardTapped { state.wasTapped = true }
            }
        }
    }

    /// Drops the open question.
    func leave() {
        let question = state.withLock { state in
            defer {
                state.ask(nil)
                state.wasTapped = false
            }
            return state.question
        }
        switch question {
        case .pin(_, let answer): answer.give(.success(.canceled))
        case .application(_, let answer): answer.give(.success(nil))
        case .card, .removal, .readerPIN, nil: break
        }
    }

    // MARK: Actions

    /// Notes that a card was inserted, tapped, unlocked, or removed.
    func noteCard() {
        let now = clock.now()
        state.withLock { state in
            state.wasTapped = false
            switch state.question {
            case .card, .removal: state.handled = now
            default: break
            }
        }
    }

    /// Presses a key of the terminal.
    ///
    /// - Returns: false when the terminal isn't asking for a PIN; then the key belongs to the reader.
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
                return (true, answer, .canceled)
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
    /// - Parameter index: the index of the offered application; nil to cancel.
    /// - Returns: false when no choice is open, or there is no such application.
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

    // MARK: Prompts of the kernel

    func chooseApplication(_ applications: [ApplicationChoice]) async -> Int? {
        let answer = FirstAnswer<Int?, Never>()
        state.withLock { $0.ask(.application(applications, answer)) }
        return await wait(answer, orElse: nil)
    }

    func enterPIN(_ prompt: PINPrompt) async -> PINEntry {
        let answer = FirstAnswer<Typed, Never>()
        state.withLock { $0.ask(.pin(prompt, answer)) }
        switch await wait(answer, orElse: .canceled) {
        case .pin(let digits): return .entered(digits.bytes.duplicate())
        case .bypassed: return .bypassed
        case .canceled: return .canceled
        }
    }

    /// Waits for the caller's answer. Returns `other` when the payment is canceled or the time limit passes.
    private func wait<Value: Sendable>(_ answer: FirstAnswer<Value, Never>, orElse other: Value) async -> Value {
        clock.schedule(after: Self.timeLimit) { [weak self] in self?.giveUp(answer, other) }
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
