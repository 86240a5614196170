/// A simulated reader of any kind, by the name under which people ask for it.
public enum SimulatedReader: Hashable, Sendable {
    /// A reader for chip cards, perhaps with a head for magnetic stripes too.
    case chip(SimulatedReaderModel)
    /// A reader for magnetic stripes alone.
    case stripe(SimulatedMSRModel)

    /// Every reader that comes with the simulator.
    public static let all: [SimulatedReader] =
        SimulatedReaderModel.all.map { .chip($0) } + SimulatedMSRModel.all.map { .stripe($0) }

    public var name: String {
        switch self {
        case .chip(let model): model.name
        case .stripe(let model): model.name
        }
    }

    /// What it is called in its descriptors.
    public var product: String {
        switch self {
        case .chip(let model): model.product
        case .stripe(let model): model.product
        }
    }

    /// idVendor and idProduct. A device with several readers has those of the first.
    public var identifiers: (vendor: UInt16, product: UInt16) {
        get {
            switch self {
            case .chip(let model): (model.vendorID, model.productID)
            case .stripe(let model): (model.vendorID, model.productID)
            }
        }
        set {
            switch self {
            case .chip(var model):
                (model.vendorID, model.productID) = newValue
                self = .chip(model)
            case .stripe(var model):
                (model.vendorID, model.productID) = newValue
                self = .stripe(model)
            }
        }
    }

    /// Slots for chip cards, of all readers in the device.
    public var slotCount: Int {
        switch self {
        case .chip(let model): model.totalSlotCount
        case .stripe: 0
        }
    }

    /// How many cards people need here: one for each slot, and one to swipe.
    public var cardCount: Int { max(1, slotCount) }

    /// The device, and the parts of it that take cards.
    public func make(clock: SimulationClock) -> Device {
        switch self {
        case .chip(let model):
            let unit = SimulatedReaderUnit(model: model, clock: clock)
            return Device(device: unit.device, chip: unit.first, stripe: unit.stripe)
        case .stripe(let model):
            let stripe = SimulatedMagneticStripeReader(model: model, clock: clock)
            return Device(device: stripe, chip: nil, stripe: stripe)
        }
    }

    /// A simulated reader that can be plugged in.
    public struct Device: Sendable {
        public let device: any SimulatedUSBDevice
        /// Where chip cards go; nil when it takes none.
        public let chip: SimulatedCCIDReader?
        /// Where cards are swiped; nil when it takes none.
        public let stripe: SimulatedMagneticStripeReader?

        public init(
            device: any SimulatedUSBDevice, chip: SimulatedCCIDReader?, stripe: SimulatedMagneticStripeReader?
        ) {
            (self.device, self.chip, self.stripe) = (device, chip, stripe)
        }
    }
}
