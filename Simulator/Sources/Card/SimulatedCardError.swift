/// Why a card could not be made from its profile.
public enum SimulatedCardError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A record is longer than a response can carry.
    case recordTooLong(file: UInt8, record: Int)
    /// The card's keys could not be derived.
    case keys(CryptogramError)

    public var description: String {
        switch self {
        case .recordTooLong(let file, let record):
            "record \(record) of file \(file) is longer than 256 bytes: spread its data objects over more records"
        case .keys(let error): "cannot derive the card's keys: \(error)"
        }
    }
}
