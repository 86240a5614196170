/// The commands of the contact kernel, by name, so that an error can say where it arose.
public enum CardCommand: String, Hashable, Sendable, CustomStringConvertible {
    case select = "SELECT"
    case readRecord = "READ RECORD"
    case getProcessingOptions = "GET PROCESSING OPTIONS"
    case getData = "GET DATA"
    case getChallenge = "GET CHALLENGE"
    case verify = "VERIFY"
    case generateApplicationCryptogram = "GENERATE AC"
    case externalAuthenticate = "EXTERNAL AUTHENTICATE"
    case issuerScript = "issuer script command"

    public var description: String { rawValue }
}
