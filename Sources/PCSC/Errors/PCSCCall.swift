/// A function of PC/SC, by its name.
public enum PCSCCall: String, Hashable, Sendable, CustomStringConvertible {
    case establishContext = "SCardEstablishContext"
    case releaseContext = "SCardReleaseContext"
    case listReaders = "SCardListReaders"
    case getStatusChange = "SCardGetStatusChange"
    case connect = "SCardConnect"
    case reconnect = "SCardReconnect"
    case disconnect = "SCardDisconnect"
    case beginTransaction = "SCardBeginTransaction"
    case endTransaction = "SCardEndTransaction"
    case status = "SCardStatus"
    case transmit = "SCardTransmit"
    case control = "SCardControl"
    case getAttribute = "SCardGetAttrib"

    public var description: String { rawValue }
}
