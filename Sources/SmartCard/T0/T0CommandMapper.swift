/// Carries one command APDU over T=0 by means of TPDUs: the interface device's half of
/// ISO/IEC 7816-3 §12.2 with the rules of EMV Book 1 §9.3. It does no I/O: the caller exchanges
/// each TPDU and hands the answer back.
public struct T0CommandMapper: Sendable {
    /// What the caller does next.
    public enum Step: Hashable, Sendable {
        /// Exchange this TPDU: a header of five bytes, with data behind it when it sends data.
        case exchange([UInt8])
        /// The command's answer.
        case complete(ResponseAPDU)
    }

    public init(_ command: CommandAPDU) throws(T0Error) { fatalError() }
    public mutating func start() -> Step { fatalError() }
    /// Takes the answer to the last TPDU: response data, SW1, SW2.
    public mutating func received(_ answer: [UInt8]) throws(T0Error) -> Step { fatalError() }
}
