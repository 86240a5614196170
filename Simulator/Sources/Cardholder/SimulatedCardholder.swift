public import CardSecrets
public import EMV
public import Hardware
internal import Synchronization

/// A person with a card, at a simulated reader: inserts and removes it, chooses, and types the PIN, as
/// the card's profile says. They act on what the reader shows, so ``observe(_:)`` must get its events.
public final class SimulatedCardholder: CardholderInterface {
    private struct State {
        var pinEntries = 0
        var isPresenting = false
        /// How often they have been asked for the card.
        var presentations = 0
        var isRemoving = false
        /// What they type instead of what the profile says.
        var pin: SealedBytes?
    }

    private let profile: CardProfile
    private let card: any SimulatedCard
    private let stripe: SimulatedStripe?
    private let reader: SimulatedReader.Device
    private let clock: SimulationClock
    private let pinPad: SimulatedPINPad
    private let state: Mutex<State>

    /// - Parameters:
    ///   - profile: what they do.
    ///   - card: the chip of the card in their hand.
    ///   - stripe: its magnetic stripe; nil when it has none.
    ///   - reader: where they stand.
    ///   - clock: the time that they take.
    ///   - pinPad: what they type on.
    ///   - pin: what they type, one digit a byte, instead of what the profile says.
    public init(
        profile: CardProfile, card: any SimulatedCard, stripe: SimulatedStripe? = nil, reader: SimulatedReader.Device,
        clock: SimulationClock, pinPad: SimulatedPINPad, pin: SealedBytes? = nil
    ) {
        (self.profile, self.card, self.stripe) = (profile, card, stripe)
        (self.reader, self.clock, self.pinPad) = (reader, clock, pinPad)
        state = Mutex(State(pin: pin))
        reader.chip?.onPINRequest { [weak self] _ in self?.typeOnReader() }
    }

    /// At a reader for chip cards.
    public convenience init(
        profile: CardProfile, card: any SimulatedCard, reader: SimulatedCCIDReader, clock: SimulationClock,
        pinPad: SimulatedPINPad, pin: SealedBytes? = nil
    ) {
        self.init(
            profile: profile, card: card, reader: SimulatedReader.Device(device: reader, chip: reader, stripe: nil),
            clock: clock, pinPad: pinPad, pin: pin)
    }

    /// Another payment begins: they begin to type from the beginning.
    ///
    /// - Parameter pin: what they type from now on, one digit a byte; nil for no change.
    public func beginAgain(pin: SealedBytes? = nil) {
        state.withLock { state in
            state.pinEntries = 0
            if let pin { state.pin = pin }
        }
    }

    /// Something happened at the reader.
    public func observe(_ event: CardReaderEvent) {
        switch event {
        case .waitingForInput(let inputs): present(inputs)
        case .cardSwiped: clock.noteActivity()
        case .removeCardRequested:
            let isAsked = state.withLock { state in
                defer { state.isRemoving = true }
                return !state.isRemoving
            }
            // Asked twice, they take it out once, and not again when it is back in.
            guard isAsked else { return }
            clock.schedule(after: Self.reactionTime) { [weak self, reader] in
                reader.chip?.removeCard()
                self?.state.withLock { $0.isRemoving = false }
            }
        default: break
        }
    }

    // MARK: Presenting the card

    private func present(_ inputs: CardReaderInput) {
        let (isAsked, isFirst) = state.withLock { state in
            defer { (state.isPresenting, state.presentations) = (true, state.presentations + 1) }
            return (!state.isPresenting, state.presentations == 0)
        }
        // Who has the card in the reader already does nothing.
        guard isAsked, reader.chip?.hasCard() != true else { return }
        if let stripeReader = reader.stripe, let stripe, inputs.contains(.swipe), swipes(inputs, isFirst: isFirst) {
            clock.schedule(after: profile.cardholder.insertsAfter) { [weak self] in
                self?.state.withLock { $0.isPresenting = false }
                stripeReader.swipe(stripe)
            }
        } else if let chip = reader.chip {
            clock.schedule(after: profile.cardholder.insertsAfter) { [weak self, card] in
                chip.insert(card)
                self?.state.withLock { $0.isPresenting = false }
            }
            if let removesAfter = profile.cardholder.removesAfter {
                clock.schedule(after: profile.cardholder.insertsAfter + removesAfter, .disruptive) {
                    chip.removeCard()
                }
            }
        }
    }

    /// Whether they swipe the card where both is possible: a card without a chip, or the first time for somebody who
    /// does not look at the card.
    private func swipes(_ inputs: CardReaderInput, isFirst: Bool) -> Bool {
        !inputs.contains(.insert) || !profile.hasChip || isFirst && profile.cardholder.swipesFirst
    }

    /// From the request to remove the card until it is out.
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

    public func enterPIN(_ prompt: PINPrompt) async -> PINEntry {
        switch nextEntry(isRetry: prompt.isRetry) {
        case .digits(let digits): return .entered(digits.bytes.duplicate())
        case .bypassed: return .bypassed
        // The terminal gives them up.
        case .cancelled, .nothing: return .cancelled
        case .cardRemoved:
            reader.chip?.removeCard()
            return .cancelled
        }
    }

    /// What they do about the PIN this time.
    private func nextEntry(isRetry: Bool) -> CardholderProfile.PINEntry {
        let (attempt, pin) = state.withLock { state in
            defer { state.pinEntries += 1 }
            return (state.pinEntries, state.pin)
        }
        // A PIN that was given once is tried once.
        if let pin { return isRetry ? .cancelled : .digits(pin) }
        return profile.cardholder.pinEntry(attempt: attempt) ?? .bypassed
    }

    /// From the reader's prompt to the first key, and from one key to the next.
    private static let keyTime = Duration.milliseconds(400)

    /// The reader asks for the PIN: they type on its keys. Its cancel key is all they have to pass the PIN over.
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
        case .bypassed, .cancelled: press(.cancel, after: Self.keyTime)
        case .nothing: break
        case .cardRemoved:
            press(.digit(0), after: Self.keyTime)
            clock.schedule(after: Self.keyTime * 2, .disruptive) { [reader] in reader.chip?.removeCard() }
        }
    }

    private func press(_ key: SimulatedReaderKey, after delay: Duration) {
        clock.schedule(after: delay) { [reader] in reader.chip?.press(key) }
    }

    public func encipherPIN(
        _ pin: borrowing SensitiveBytes, pan: borrowing PrimaryAccountNumber
    ) async -> EncipheredPINBlock? {
        try? pinPad.encipher(pin, pan: pan)
    }
}
