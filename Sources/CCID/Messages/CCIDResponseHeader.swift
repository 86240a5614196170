/// The ten bytes that begin every answer (CCID 1.1 §6.2), checked against the length of the whole.
struct CCIDResponseHeader: Hashable, Sendable {
    /// Length in bytes.
    static let length = 10

    let type: CCIDResponseType
    let slot: UInt8
    let sequence: UInt8
    let status: CCIDStatus
    /// Byte 9: bChainParameter, bClockStatus, bProtocolNum or reserved.
    let specific: UInt8

    /// - Throws: ``CCIDMessageError``
    init(message: [UInt8]) throws(CCIDMessageError) {
        guard message.count >= Self.length else { throw .tooShort(message.count) }
        let claimed = message.littleEndian32(at: 1)
        guard Int(claimed) == message.count - Self.length else {
            throw .wrongLength(claimed: claimed, actual: message.count - Self.length)
        }
        guard let type = CCIDResponseType(rawValue: message[0]) else { throw .unknownType(message[0]) }
        self.type = type
        (slot, sequence) = (message[5], message[6])
        status = try CCIDStatus(status: message[7], error: message[8])
        specific = message[9]
    }
}
