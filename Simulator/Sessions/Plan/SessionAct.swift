public import Simulator
public import StoreSite

/// Something that is done to a simulated world while a session's steps run in it.
public enum SessionAct: Sendable {
    /// Asks the till to cancel the payment that runs.
    case cancelPayment
    /// Asks the till to cancel the refund that runs.
    case cancelRefund
    /// Asks the till to cancel the firmware update that runs.
    case cancelUpdate
    /// The process dies at once. What it has not saved or sent is lost, and nothing of it does anything any more.
    case crash
    /// Pulls a reader out; nil for the first one.
    case unplug(reader: String? = nil)
    /// Plugs a reader in; nil for the first one.
    case plugIn(reader: String? = nil)
    /// Puts a card into a reader; nil for the card of the payment, and for the first reader.
    case insert(card: String? = nil, reader: String? = nil)
    /// Pulls the card out; nil for the first reader.
    case removeCard(reader: String? = nil)
    /// Swipes a card; nil for the card of the payment, and for the first reader with a head for stripes.
    case swipe(card: String? = nil, reader: String? = nil)
    /// Presses a key of a reader's own; nil for the first reader.
    case press(SimulatedReaderKey, reader: String? = nil)
    /// Something goes wrong in a reader; nil for the first one.
    case readerFault(SimulatedReaderFault, reader: String? = nil)
    /// Sets the charge of a reader's battery; nil for the first reader.
    case battery(percent: UInt8, reader: String? = nil)
    /// The machine sleeps; the devices are the same ones afterwards, or new ones.
    case suspend(Duration, persistently: Bool)
    /// The issuer answers by other rules from now on.
    case issuerRules(IssuerRules)
    /// Something goes wrong between the terminal and the issuer, behind what goes wrong already.
    case issuerFault(IssuerFaultRule)
    /// Nothing goes wrong any more between the terminal and the issuer, the rules aside.
    case issuerRecovers
    /// Requests to the store site go wrong, behind those that do already.
    case siteFault(FaultRule)
    /// Nothing goes wrong any more with requests to the store site.
    case siteRecovers
    /// What was planned and has not happened yet does not happen any more.
    case callOff
    /// The printer is so from now on.
    case printer(PrinterCondition)
    /// The disk is so from now on.
    case disk(DiskCondition)
}
