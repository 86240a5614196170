/// A card's answer: data and a status word (ISO/IEC 7816-4 §5.1).
public struct ResponseAPDU: Hashable, Sendable {
    /// 0...65,536 bytes.
    public let data: [UInt8]
    public let status: StatusWord

    public init(data: [UInt8] = [], status: StatusWord) {
        (self.data, self.status) = (data, status)
    }

    /// Splits the trailing SW1 SW2 off.
    ///
    /// - Throws: ``APDUError/responseTooShort(_:)``, ``APDUError/responseTooLong(_:)``
    public init(bytes: [UInt8]) throws(APDUError) {
        guard bytes.count >= 2 else { throw .responseTooShort(bytes.count) }
        guard bytes.count <= 65_538 else { throw .responseTooLong(bytes.count) }
        self.init(
            data: Array(bytes.dropLast(2)), status: StatusWord(bytes[bytes.count - 2], bytes[bytes.count - 1]))
    }

    /// Data followed by SW1 SW2.
    public var bytes: [UInt8] { data + [status.sw1, status.sw2] }
}
