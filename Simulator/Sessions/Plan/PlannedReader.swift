public import Simulator

/// A reader of a simulated session.
public struct PlannedReader: Sendable {
    /// What the session's steps call it.
    public var name: String
    /// What it is.
    public var model: SimulatedReader
    /// Whether it is plugged in when the session begins.
    public var isPluggedIn: Bool
    /// What goes wrong in it, armed when the session begins.
    public var faults: [SimulatedReaderFault]
    /// The charge of its battery in percent; nil for a full one, or for a reader without.
    public var batteryPercent: UInt8?

    /// A reader that is plugged in and works, unless something else is said.
    public init(
        name: String = "reader", model: SimulatedReader = .chip(.shortAPDU), isPluggedIn: Bool = true,
        faults: [SimulatedReaderFault] = [], batteryPercent: UInt8? = nil
    ) {
        (self.name, self.model, self.isPluggedIn) = (name, model, isPluggedIn)
        (self.faults, self.batteryPercent) = (faults, batteryPercent)
    }
}
