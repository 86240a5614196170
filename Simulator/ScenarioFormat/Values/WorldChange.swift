public import Simulator
public import StoreSite

/// A change in the world around the till.
public struct WorldChange: Sendable {
    /// In place of the rules so far.
    public var issuerRules: IssuerRules?
    /// What goes wrong at the store from now on, beside what does already.
    public var siteFaults: [FaultRule]
    public var printer: ScenarioPrinter?
    public var disk: ScenarioDisk?
    /// In percent.
    public var battery: UInt8?
    /// What goes wrong in the reader from now on.
    public var readerFaults: [SimulatedReaderFault]
}
