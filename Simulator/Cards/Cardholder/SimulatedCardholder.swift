public import CardSecrets
public import EMV
public import Payments
import Synchronization

/// A cardholder at a simulated reader who presents and removes the card, selects an application, and enters the PIN,
/// as the card's profile says. The cardholder reacts to the reader's prompts, so ``observe(_:)`` must receive them:
/// `CardReaderEvent.cardPrompt` has the prompt of a reader's event.
public final class SimulatedCardholder: CardholderInterface {
    private struct State {
        var pinEntries = 0
        var isPresenting = false
        /// The number of requests to present the card.
        var presentations = 0
        var isRemoving = false
        var hasTapped = false
        /// The PIN to enter instead of the profile's.
        var pin: SealedBytes?
        /// The number of times that the cardholder has left. What was planned before does not happen.
        var departures = 0
    }

    private let profile: CardProfile
    private let card: any SimulatedCard
    /// The same card without contacts; nil if it has none of its own.
    private let contactless: (any SimulatedCard)?
    private let habit: PresentationHabit
    private let stripe: SimulatedMagneticStripe?
    private let reader: SimulatedReader.Device
    private let clock: SimulationClock
    /// The terminal's PIN pad.
    public let pinPad: SimulatedPINPad
    private let state: Mutex<State>

    /// Creates a cardholder.
    ///
    /// - Parameters:
    ///   - profile: the cardholder's behavior.
    ///   - card: the chip of the card.
    ///   - contactless: its contactless side; nil if there is none.
    ///   - stripe: its magnetic stripe; nil if there is none.
    ///   - reader: the reader that the cardholder uses.
    ///   - clock: the clock for delays.
    ///   - pinPad: the terminal's PIN pad.
    ///   - pin: the PIN to enter, one digit per byte, instead of the profile's.
    ///   - habit: whether the cardholder rather taps the card or inserts it.
    public init(
        profile: CardProfile, card: any SimulatedCard, contactless: (any SimulatedCard)? = nil,
        stripe: SimulatedMagneticStripe? = nil,
        reader: SimulatedReader.Device,
        clock: SimulationClock, pinPad: SimulatedPINPad, pin: SealedBytes? = nil,
        habit: PresentationHabit = .asTheCardAllows
    ) {
        self.contactless = contactless
        self.habit = habit == .asTheCardAllows ? profile.cardholder.presents : habit
        (self.profile, self.card, self.stripe) = (profile, card, stripe)
        (self.reader, self.clock, self.pinPad) = (reader, clock, pinPad)
        state = Mutex(State(pin: pin))
        reader.chip?.onPINRequest { [weak self] _ in self?.typeOnReader() }
    }

    /// Creates a cardholder at a chip card reader.
    public convenience init(
        profile: CardProfile, card: any SimulatedCard, reader: SimulatedCCIDReader, clock: SimulationClock,
        pinPad: SimulatedPINPad, pin: SealedBytes? = nil
    ) {
        self.init(
            profile: profile, card: card, reader: SimulatedReader.Device(device: reader, chip: reader, stripe: nil),
            clock: clock, pinPad: pinPad, pin: pin)
    }

    /// Prepares for another payment: PIN entries start from the beginning.
    ///
    /// - Parameter pin: the PIN from now on, one digit per byte; nil for no change.
    public func prepareForNextPayment(pin: SealedBytes? = nil) {
        state.withLock { state in
            (state.pinEntries, state.hasTapped) = (0, false)
            if let pin { state.pin = pin }
        }
    }

    /// Takes the card away from the reader, and forgets the prompts of an earlier payment and what they caused. Call
    /// this before another payment at the same reader: it is asked for a card anew, whatever became of the earlier one.
    public func leave() {
        state.withLock { $0 = State(pin: $0.pin, departures: $0.departures + 1) }
        takeAwayCard()
    }

    private func takeAwayCard() {
        reader.chip?.removeCard()
        if reader.contactless !== reader.chip { reader.contactless?.removeCard() }
    }

    /// Plans what the cardholder does, unless they leave before.
    private func plan(after delay: Duration, _ action: @escaping @Sendable () -> Void) {
        let departures = state.withLock { $0.departures }
        clock.schedule(after: delay) { [weak self] in
            if let self, state.withLock({ $0.departures }) != departures { return }
            action()
        }
    }

    /// Handles a prompt of the reader; nil for an event that asks nothing.
    public func observe(_ prompt: CardPrompt?) {
        switch prompt {
        case .present(let canInsert, let canSwipe, let canTap):
            present(canInsert: canInsert, canSwipe: canSwipe, canTap: canTap)
        case .remove:
            let isAsked = state.withLock { state in
                defer { state.isRemoving = true }
                return !state.isRemoving
            }
            // A second prompt does not make them remove the card again after it was reinserted.
            guard isAsked else { return }
            plan(after: Self.reactionTime) { [weak self] in
                self?.takeAwayCard()
                self?.state.withLock { $0.isRemoving = false }
            }
        case nil: break
        }
    }

    // MARK: Presenting the card

    private func present(canInsert: Bool, canSwipe: Bool, canTap: Bool) {
        let (isAsked, isFirst) = state.withLock { state in
            defer { (state.isPresenting, state.presentations) = (true, state.presentations + 1) }
            return (!state.isPresenting, state.presentations == 0)
        }
        guard isAsked else { return }
        // The card is in the reader already.
        guard reader.chip === reader.contactless || reader.chip?.hasCard() != true else {
            return state.withLock { $0.isPresenting = false }
        }
        if canTap, let field = reader.contactless, taps(canInsert: canInsert) {
            hold(in: field)
        } else if let stripeReader = reader.stripe, let stripe, canSwipe, swipes(canInsert: canInsert, isFirst: isFirst)
        {
            plan(after: profile.cardholder.insertsAfter) { [weak self] in
                self?.state.withLock { $0.isPresenting = false }
                stripeReader.swipe(stripe)
            }
        } else if let chip = reader.chip {
            // The card can't be in the field and in the slot.
            if reader.contactless !== chip { reader.contactless?.removeCard() }
            plan(after: profile.cardholder.insertsAfter) { [weak self, card] in
                chip.insert(card)
                self?.state.withLock { $0.isPresenting = false }
            }
            if let removesAfter = profile.cardholder.removesAfter {
                plan(after: profile.cardholder.insertsAfter + removesAfter) { chip.removeCard() }
            }
        }
    }

    /// Holds the card to the field, unless it is there already.
    private func hold(in field: SimulatedCCIDReader) {
        guard !field.hasCard() else { return state.withLock { $0.isPresenting = false } }
        let person = profile.cardholder
        plan(after: person.insertsAfter) { [weak self, card = contactless ?? card] in
            let isFirst = self?.isFirstTap() ?? false
            if isFirst, let time = person.secondCardFor {
                field.arm(.severalCards(isTold: true))
                self?.plan(after: time) { field.arm(.oneCardLeft) }
            }
            field.insert(card)
            if isFirst, let exchange = person.movesAwayAt {
                field.arm(
                    .movedAway(
                        atExchange: exchange, noticedAfter: Self.noticeTime, backAfter: person.movesBackAfter))
            }
            self?.state.withLock { $0.isPresenting = false }
        }
        guard let removesAfter = profile.cardholder.removesAfter else { return }
        plan(after: profile.cardholder.insertsAfter + removesAfter) { field.removeCard() }
    }

    /// Whether this tap is the first one of the payment.
    private func isFirstTap() -> Bool {
        state.withLock { state in
            defer { state.hasTapped = true }
            return !state.hasTapped
        }
    }

    /// Whether the cardholder taps the card where that is possible: by habit, because the card has a contactless side,
    /// or because it can't be inserted.
    private func taps(canInsert: Bool) -> Bool {
        switch habit {
        case .tap: true
        case .insert: !canInsert
        case .asTheCardAllows: !canInsert || contactless != nil
        }
    }

    /// Whether the cardholder swipes the card when both are possible: with a card without a chip, or at the first
    /// prompt if the profile says so.
    private func swipes(canInsert: Bool, isFirst: Bool) -> Bool {
        !canInsert || !profile.hasChip || isFirst && profile.cardholder.swipesFirst
    }

    /// The time after which a reader misses a card that has left its field.
    private static let noticeTime = Duration.milliseconds(900)
    /// The time from the prompt to remove the card until it is removed.
    private static let reactionTime = Duration.seconds(1)

    public func chooseApplication(_ applications: [ApplicationChoice]) async -> Int? {
        guard let chosen = profile.cardholder.chosenApplication else { return nil }
        if let recording = profile.recording {
            return applications.firstIndex { $0.aid == recording.application } ?? applications.indices.first
        }
        guard profile.applications.indices.contains(chosen) else { return nil }
        let aid = profile.applications[chosen].aid
        return applications.firstIndex { $0.aid == aid } ?? applications.indices.first
    }

    public func chooseAccountType(_ types: [UInt8], languages: [String]) async -> UInt8? {
        profile.cardholder.chosenAccount.map(\.code).flatMap { types.contains($0) ? $0 : nil }
    }

    public func enterPIN(_ prompt: PINPrompt) async -> PINEntry {
        switch nextEntry(isRetry: prompt.isRetry) {
        case .digits(let digits): return .entered(digits.bytes.duplicate())
        case .bypassed: return .bypassed
        // The terminal times out.
        case .canceled, .nothing: return .canceled
        case .cardRemoved:
            reader.chip?.removeCard()
            return .canceled
        }
    }

    /// Returns the next PIN entry.
    private func nextEntry(isRetry: Bool) -> CardholderProfile.PINBehavior {
        let (attempt, pin) = state.withLock { state in
            defer { state.pinEntries += 1 }
            return (state.pinEntries, state.pin)
        }
        // An explicit PIN is entered only once.
        if let pin { return isRetry ? .canceled : .digits(pin) }
        return profile.cardholder.pinEntry(attempt: attempt) ?? .bypassed
    }

    /// The time from the reader's prompt to the first key, and between keys.
    private static let keyTime = Duration.milliseconds(400)

    /// Enters the PIN on the reader's keys. The cancel key is the only way to bypass PIN entry there.
    private func typeOnReader() {
        let isRetry = state.withLock { $0.pinEntries > 0 }
        switch nextEntry(isRetry: isRetry) {
        case .digits(let digits):
            var moment = Self.keyTime
            digits.bytes.withUnsafeBytes { bytes in
                for digit in bytes {
                    press(.digit(digit), after: moment)
                    moment += Self.keyTime
                }
            }
            press(.confirmation, after: moment)
        case .bypassed, .canceled: press(.cancel, after: Self.keyTime)
        case .nothing: break
        case .cardRemoved:
            press(.digit(0), after: Self.keyTime)
            plan(after: Self.keyTime * 2) { [reader] in reader.chip?.removeCard() }
        }
    }

    private func press(_ key: SimulatedReaderKey, after delay: Duration) {
        plan(after: delay) { [reader] in reader.chip?.press(key) }
    }

    public func encipherPIN(
        _ pin: borrowing SensitiveBytes, pan: borrowing PrimaryAccountNumber
    ) async -> EncipheredPINBlock? {
        try? await pinPad.encipherForHost(pin, pan: pan)
    }
}

/// How a cardholder presents a card that can be tapped and inserted.
public enum PresentationHabit: Hashable, Sendable {
    /// Taps a card that has a contactless side, and inserts others.
    case asTheCardAllows
    case tap
    case insert
}
