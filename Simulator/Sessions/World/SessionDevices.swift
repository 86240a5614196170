import Determinism
import Hardware
import Simulator
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
