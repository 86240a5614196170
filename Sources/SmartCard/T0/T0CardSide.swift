/// The card's half of T=0: takes header and data bytes, gives procedure bytes, data and status.
public struct T0CardSide: Sendable {
    public enum Step: Hashable, Sendable {
        /// Send these bytes (a procedure byte, or response data and status), then wait for more.
        case send([UInt8])
        /// The bytes so far are not a whole message: wait for more.
        case awaitMore
        /// A whole command: process it and call `respond`.
        case process(CommandAPDU)
    }

    /// - Parameter sendsData: tells from a header (CLA INS P1 P2 P3) whether the command carries data
    ///   to the card (cases 3 and 4): in T=0 only the instruction says so.
    public init(sendsData: @escaping @Sendable ([UInt8]) -> Bool) { fatalError() }
    public mutating func received(_ bytes: [UInt8]) -> Step { fatalError() }
    /// The bytes that answer the command handed out last: data and status, or 61xx / 6Cxx with the
    /// data kept for the GET RESPONSE or the repeated command that follows.
    public mutating func respond(_ response: ResponseAPDU) -> [UInt8] { fatalError() }
}
