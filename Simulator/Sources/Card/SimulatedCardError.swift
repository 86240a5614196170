/// Why a card could not be made from its profile.
public enum SimulatedCardError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A record is longer than a record can be (EMV Book 3 §7.1).
    case recordTooLong(file: UInt8, record: Int)
    /// The PAN of an application is no PAN.
    case unusablePAN
    /// The test keys that come with the program cannot be read.
    case testKeys(TestKeysError)
    /// The card's keys or certificates could not be made.
    case keys(CryptogramError)

    public var description: String {
        switch self {
        case .recordTooLong(let file, let record):
            "record \(record) of file \(file) is longer than 254 bytes: spread its data objects over more records"
        case .unusablePAN: "the PAN of an application is no PAN"
        case .testKeys(let error): error.description
        case .keys(let error): "cannot make the card's keys: \(error)"
        }
    }
}
