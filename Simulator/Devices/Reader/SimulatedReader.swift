public import USB

/// A simulated reader of any kind, identified by name.
public enum SimulatedReader: Hashable, Sendable {
    /// A chip card reader, possibly with a magnetic stripe head.
    case chip(SimulatedReaderModel)
    /// A magnetic stripe reader.
    case stripe(SimulatedMSRModel)

    /// All readers that come with the simulator.
    public static let all: [SimulatedReader] =
        SimulatedReaderModel.all.map { .chip($0) } + SimulatedMSRModel.all.map { .stripe($0) }

    public var name: String {
        switch self {
        case .chip(let model): model.name
        case .stripe(let model): model.name
        }
    }

    /// The product name in its descriptors.
    public var product: String {
        switch self {
        case .chip(let model): model.product
        case .stripe(let model): model.product
        }
    }

    /// idVendor and idProduct. A device with several readers has those of the first.
    public var identifiers: USBIdentifiers {
        get {
            switch self {
            case .chip(let model): USBIdentifiers(vendor: model.vendorID, product: model.productID)
            case .stripe(let model): USBIdentifiers(vendor: model.vendorID, product: model.productID)
            }
        }
        set {
            switch self {
            case .chip(var model):
                (model.vendorID, model.productID) = (newValue.vendor, newValue.product)
                self = .chip(model)
            case .stripe(var model):
                (model.vendorID, model.productID) = (newValue.vendor, newValue.product)
                self = .stripe(model)
            }
        }
    }

    /// The number of chip card slots of all readers in the device.
    public var slotCount: Int {
        switch self {
        case .chip(let model): model.totalSlotCount
        case .stripe: 0
        }
    }

    /// Whether cards can be inserted.
    public var takesInsertedCards: Bool { interfaces.contains { !$0.isContactless } }

    /// Whether cards can be tapped.
    public var takesTappedCards: Bool { interfaces.contains(where: \.isContactless) }

    /// The chip card readers in the device.
    private var interfaces: [SimulatedReaderModel] {
        switch self {
        case .chip(let model): [model] + model.companions
        case .stripe: []
        }
    }

    /// The number of cards a user needs: one per slot, and at least one.
    public var cardCount: Int { max(1, slotCount) }

    /// Creates the device and the parts of it that take cards.
    public func make(clock: SimulationClock) -> Device {
        switch self {
        case .chip(let model):
            let unit = SimulatedReaderUnit(model: model, clock: clock)
            return Device(
                device: unit.device, chip: unit.chip, stripe: unit.stripe, contactless: unit.contactless)
        case .stripe(let model):
            let stripe = SimulatedMagneticStripeReader(model: model, clock: clock)
            return Device(device: stripe, chip: nil, stripe: stripe)
        }
    }

    /// A simulated reader that can be plugged in.
    public struct Device: Sendable {
        public let device: any SimulatedUSBDevice
        /// The reader for chip cards; the contactless one if there is no other, and nil if there is neither.
        public let chip: SimulatedCCIDReader?
        /// The reader for magnetic stripes; nil if there is none.
        public let stripe: SimulatedMagneticStripeReader?
        /// The contactless reader; nil if there is none.
        public let contactless: SimulatedCCIDReader?

        /// Combines a device with its readers; nil for a kind that it does not have.
        public init(
            device: any SimulatedUSBDevice, chip: SimulatedCCIDReader?, stripe: SimulatedMagneticStripeReader?,
            contactless: SimulatedCCIDReader? = nil
        ) {
            (self.device, self.chip, self.stripe, self.contactless) = (device, chip, stripe, contactless)
        }
    }
}

/// A reader model as a device, with one reader per interface.
public struct SimulatedReaderUnit: Sendable {
    /// The device to plug in.
    public let device: any SimulatedUSBDevice
    /// The reader used by default.
    public let first: SimulatedCCIDReader
    /// The readers, by interface number.
    public let readers: [SimulatedCCIDReader]
    /// The magnetic stripe reader; nil if the model has none.
    public let stripe: SimulatedMagneticStripeReader?
    /// The updatable device, the same as ``device``; nil if the firmware cannot be replaced.
    public let updates: SimulatedUpdatableDevice?

    /// Makes the device and its readers, not plugged in. Their times are those of `clock`.
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
            : SimulatedUSBComposite(first, companions, hangsWhenShared: model.misbehavior.hangsWhenShared)
        updates = model.firmware.map { SimulatedUpdatableDevice(whole, habits: $0, clock: clock) }
        device = updates ?? whole
    }

    /// The first reader for cards with contacts; the contactless one if there is no other.
    public var chip: SimulatedCCIDReader { readers.first { !$0.model.isContactless } ?? first }

    /// The first contactless reader; nil if there is none.
    public var contactless: SimulatedCCIDReader? { readers.first { $0.model.isContactless } }

    /// All slots of the device in order.
    public var slots: [(reader: SimulatedCCIDReader, slot: Int)] {
        readers.flatMap { reader in (0..<max(1, reader.model.slotCount)).map { (reader, $0) } }
    }
}
