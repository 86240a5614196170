import Determinism
import Hardware
import Simulator
import Synchronization
import USB

/// A reader of the session: its device, and its fixed port.
struct SessionReader: Sendable {
    let name: String
    let port: Int
    let model: SimulatedReader
    let parts: SimulatedReader.Device
    private let bus: SimulatedUSBBus

    init(_ planned: PlannedReader, port: Int, bus: SimulatedUSBBus) {
        (name, self.port, self.bus) = (planned.name, port, bus)
        model = planned.model
        parts = planned.model.make(clock: bus.clock)
        if let percent = planned.batteryPercent { parts.chip?.setBatteryLevel(percent: percent) }
        for fault in planned.faults { parts.chip?.arm(fault) }
    }

    func plugIn() { bus.plug(parts.device, port: port) }

    /// Returns the reader as the till sees it; nil when it is not plugged in.
    func seen() async -> CardReader? {
        let devices = try? await bus.devices()
        return devices?.first { $0.port == "\(SimulatedUSBBus.number)-\(port)" }.flatMap { CardReader($0) }
    }

    func unplug() { bus.unplug(parts.device) }

    /// Whether the one slot of the reader is contactless.
    private var hasOnlyField: Bool { parts.chip === parts.contactless }

    /// The ways to present a card: `insert`, `swipe`, `tap`.
    var ways: [String] {
        [
            hasOnlyField ? nil : parts.chip.map { _ in "insert" }, parts.stripe.map { _ in "swipe" },
            parts.contactless.map { _ in "tap" },
        ].compactMap(\.self)
    }

    /// Whether a card is in the slot for chips.
    var hasCardInSlot: Bool { !hasOnlyField && parts.chip?.hasCard() ?? false }

    /// Whether a card is in the field.
    var hasCardInField: Bool { parts.contactless?.hasCard() ?? false }

    /// Puts a card into the slot. It can't be in the field then.
    func insert(_ card: SessionCard) {
        guard !hasOnlyField else { return tap(card) }
        parts.contactless?.removeCard()
        parts.chip?.insert(card.chip)
    }

    /// Holds a card in the field, if there is one. It can't be in the slot then.
    func tap(_ card: SessionCard) {
        guard let field = parts.contactless else { return }
        if !hasOnlyField { parts.chip?.removeCard() }
        field.insert(card.contactless ?? card.chip)
    }

    /// Takes the card away, wherever it is.
    func removeCard() {
        parts.chip?.removeCard()
        if !hasOnlyField { parts.contactless?.removeCard() }
    }
}

/// The cards of a session, by their places in the plan.
final class SessionCards: Sendable {
    private let planned: [PlannedCard]
    private let keys: TestKeys
    private let random: SeededRandomSource
    /// The default card.
    let first: SessionCard
    /// The cards that were made. A card has its bytes by its name, so that it does not matter when it is made.
    private let made: Mutex<[Int: SessionCard]>

    /// Makes the first card, or all.
    ///
    /// - Throws: an error of libcrypto, or of a profile that doesn't describe a valid card.
    init(_ plan: SessionPlan, keys: TestKeys, random: SeededRandomSource) throws {
        (planned, self.keys, self.random) = (plan.cards, keys, random)
        guard let start = plan.cards.first else { throw SimulatedSessionError.plan("a session needs a card") }
        first = try SessionCard(start, keys: keys, random: random)
        var made = [0: first]
        for place in plan.cards.indices.dropFirst() where !plan.makesCardsOnUse {
            made[place] = try SessionCard(plan.cards[place], keys: keys, random: random)
        }
        self.made = Mutex(made)
    }

    /// The cards that were made, in the order of the plan.
    var all: [SessionCard] { made.withLock { made in made.keys.sorted().compactMap { made[$0] } } }

    /// Returns the card of a name, which is made if it was not before.
    ///
    /// - Throws: ``SimulatedSessionError/noSuchCard(_:known:)``, and ``SimulatedSessionError/plan(_:)`` for a profile
    ///   that doesn't describe a valid card.
    func card(_ name: String) throws(SimulatedSessionError) -> SessionCard {
        guard let place = planned.firstIndex(where: { $0.name == name }) else {
            throw .noSuchCard(name, known: planned.map(\.name))
        }
        do {
            return try made.withLock { made in
                if let card = made[place] { return card }
                let card = try SessionCard(planned[place], keys: keys, random: random)
                made[place] = card
                return card
            }
        } catch {
            throw .plan("\(error)")
        }
    }
}

/// A card of the session. It keeps its state between payments, such as its counters and the effects of issuer scripts.
struct SessionCard: Sendable {
    let name: String
    let profile: CardProfile
    let chip: any SimulatedCard
    /// The contactless side; nil if there is none.
    let contactless: SimulatedContactlessCard?
    let stripe: SimulatedMagneticStripe?

    /// - Throws: an error of libcrypto, or of a profile that doesn't describe a valid card.
    init(_ planned: PlannedCard, keys: TestKeys, random: any RandomSource) throws {
        (name, profile) = (planned.name, planned.profile)
        chip =
            if let recording = profile.recording {
                RecordedCard(recording)
            } else {
                try SimulatedEMVCard(profile: profile, keys: keys, random: random.stream("card \(planned.name)"))
            }
        contactless = try .side(of: profile, keys: keys, random: random.stream("card \(planned.name)"))
        stripe = try profile.stripe.map { try SimulatedMagneticStripe($0, keys: keys) }
    }
}
