/// A reader of a model as it is plugged in: a device, and in it a reader for each of its interfaces.
public struct SimulatedReaderUnit: Sendable {
    /// What is plugged in.
    public let device: any SimulatedUSBDevice
    /// The reader that people use who do not say which one.
    public let first: SimulatedCCIDReader
    /// By the number of their interface.
    public let readers: [SimulatedCCIDReader]
    /// Where cards are swiped; nil when the model has no head for magnetic stripes.
    public let stripe: SimulatedMagneticStripeReader?
    /// What takes firmware: the ``device``; nil when the model takes none.
    public let updates: SimulatedUpdatableDevice?

    public init(model: SimulatedReaderModel, clock: SimulationClock) {
        first = SimulatedCCIDReader(model: model, clock: clock)
        let others = model.companions.map { companion in
            var companion = companion
            // A device has one speed.
            companion.speed = model.speed
            return SimulatedCCIDReader(model: companion, clock: clock)
        }
        readers = [first] + others
        stripe = model.stripeReader.map { SimulatedMagneticStripeReader(model: $0, clock: clock) }
        let companions: [any SimulatedUSBDevice] = others + [stripe].compactMap(\.self)
        let whole: any SimulatedUSBDevice =
            companions.isEmpty
            ? first
            : SimulatedUSBComposite(first, companions, hangsWhenShared: model.misbehaviour.hangsWhenShared)
        updates = model.firmware.map { SimulatedUpdatableDevice(whole, habits: $0, clock: clock) }
        device = updates ?? whole
    }

    /// Every slot of the device, counted through.
    public var slots: [(reader: SimulatedCCIDReader, slot: Int)] {
        readers.flatMap { reader in (0..<max(1, reader.model.slotCount)).map { (reader, $0) } }
    }
}
