/// The commands whose failure ends a transaction, by name, so that an error can say where it arose.
public enum CardCommand: String, Hashable, Sendable, CustomStringConvertible {
    case getProcessingOptions = "GET PROCESSING OPTIONS"
    case readRecord = "READ RECORD"
    case internalAuthenticate = "INTERNAL AUTHENTICATE"
    case generateApplicationCryptogram = "GENERATE AC"

    public var description: String { rawValue }
}
