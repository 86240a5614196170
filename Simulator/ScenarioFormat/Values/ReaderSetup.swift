public import Simulator

/// A reader that the shop has.
public struct ReaderSetup: Sendable {
    public var name: String
    public var model: SimulatedReader
    /// Whether it is plugged in at the beginning.
    public var isPluggedIn: Bool
    /// What goes wrong in it.
    public var faults: [SimulatedReaderFault]
}
