/// A simulated reader of any kind, by the name under which people ask for it.
public enum SimulatedReader: Hashable, Sendable {
    case chip(SimulatedReaderModel)
    case stripe(SimulatedMSRModel)
    /// Both in one device.
    case combined(SimulatedReaderModel, SimulatedMSRModel)

    /// Every reader that comes with the simulator.
    public static let all: [SimulatedReader] =
        SimulatedReaderModel.all.map { .chip($0) } + SimulatedMSRModel.all.map { .stripe($0) }
        + [.combined(.tpdu, .pointOfSale)]

    public var name: String {
        switch self {
        case .chip(let model): model.name
        case .stripe(let model): model.name
        case .combined: "combo"
        }
    }

    /// The device, and the parts of it that take cards.
    public func make(clock: SimulationClock) -> Device {
        switch self {
        case .chip(let model):
            let chip = SimulatedCCIDReader(model: model, clock: clock)
            return Device(device: chip, chip: chip, stripe: nil)
        case .stripe(let model):
            let stripe = SimulatedMagneticStripeReader(model: model, clock: clock)
            return Device(device: stripe, chip: nil, stripe: stripe)
        case .combined(let chip, let stripe):
            let both = SimulatedCombinedReader(chip: chip, stripe: stripe, clock: clock)
            return Device(device: both, chip: both.chip, stripe: both.stripe)
        }
    }

    /// A simulated reader that can be plugged in.
    public struct Device: Sendable {
        public let device: any SimulatedUSBDevice
        /// Where chip cards go; nil when it takes none.
        public let chip: SimulatedCCIDReader?
        /// Where cards are swiped; nil when it takes none.
        public let stripe: SimulatedMagneticStripeReader?
    }
}
