public import Simulator

/// A reader that the shop has.
public struct ReaderSetup: Sendable {
    /// What steps call it.
    public var name: String
    /// What it is.
    public var model: SimulatedReader
    /// Whether it is plugged in at the beginning.
    public var isPluggedIn: Bool
    /// Its charge in percent; nil for a full one, or for a reader without a battery.
    public var battery: UInt8?
    /// What goes wrong in it.
    public var faults: [SimulatedReaderFault]

    public init(
        name: String = "reader", model: SimulatedReader = .chip(.tpdu), isPluggedIn: Bool = true,
        battery: UInt8? = nil, faults: [SimulatedReaderFault] = []
    ) {
        (self.name, self.model, self.isPluggedIn) = (name, model, isPluggedIn)
        (self.battery, self.faults) = (battery, faults)
    }
}
