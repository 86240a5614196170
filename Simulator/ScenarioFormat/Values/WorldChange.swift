public import Simulator
public import StoreSite

/// A change in the world around the till.
public struct WorldChange: Sendable {
    /// In place of the rules so far.
    public var issuerRules: IssuerRules?
    /// What goes wrong at the store from now on, beside what does already.
    public var siteFaults: [FaultRule]
    /// How the printer is from now on.
    public var printer: ScenarioPrinter?
    /// How the disk is from now on.
    public var disk: ScenarioDisk?
    /// In percent.
    public var battery: UInt8?
    /// What goes wrong in the reader from now on.
    public var readerFaults: [SimulatedReaderFault]

    /// What is left out stays as it is.
    public init(
        issuerRules: IssuerRules? = nil, siteFaults: [FaultRule] = [], printer: ScenarioPrinter? = nil,
        disk: ScenarioDisk? = nil, battery: UInt8? = nil, readerFaults: [SimulatedReaderFault] = []
    ) {
        (self.issuerRules, self.siteFaults, self.printer) = (issuerRules, siteFaults, printer)
        (self.disk, self.battery, self.readerFaults) = (disk, battery, readerFaults)
    }
}
