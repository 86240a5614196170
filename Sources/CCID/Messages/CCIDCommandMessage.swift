/// A whole message to a reader: a command, its slot and its sequence number (CCID 1.1 §6.1).
public struct CCIDCommandMessage: Hashable, Sendable {
    public var slot: UInt8
    public var sequence: UInt8
    public var command: CCIDCommand

    public init(slot: UInt8, sequence: UInt8, command: CCIDCommand) {
        (self.slot, self.sequence, self.command) = (slot, sequence, command)
    }

    /// The encoded message: ten bytes of header, then the data.
    public var bytes: [UInt8] {
        var bytes: [UInt8] = []
        command.encode(into: &bytes, slot: slot, sequence: sequence)
        return bytes
    }

    /// Decodes a message as a reader takes it.
    ///
    /// - Throws: ``CCIDMessageError``
    public init(bytes: [UInt8]) throws(CCIDMessageError) {
        guard bytes.count >= 10 else { throw .tooShort(bytes.count) }
        let claimed = bytes.littleEndian32(at: 1)
        guard Int(claimed) == bytes.count - 10 else { throw .wrongLength(claimed: claimed, actual: bytes.count - 10) }
        guard let type = CCIDCommandType(rawValue: bytes[0]) else { throw .unknownType(bytes[0]) }
        (slot, sequence) = (bytes[5], bytes[6])
        let data = bytes[10...]
        func requireData(_ count: Int) throws(CCIDMessageError) {
            guard data.count == count else { throw .wrongDataLength(expected: count, actual: data.count) }
        }
        func level() throws(CCIDMessageError) -> CCIDLevelParameter {
            guard let level = CCIDLevelParameter(rawValue: bytes.littleEndian16(at: 8)) else {
                throw .invalidField(name: "wLevelParameter", offset: 8, value: bytes[8])
            }
            return level
        }
        func field<Field: RawRepresentable<UInt8>>(_ name: String) throws(CCIDMessageError) -> Field {
            guard let field = Field(rawValue: bytes[7]) else {
                throw .invalidField(name: name, offset: 7, value: bytes[7])
            }
            return field
        }
        switch type {
        case .transferBlock:
            command = .transferBlock(Array(data), waitingTimeMultiplier: bytes[7], level: try level())
            return
        case .secure:
            command = .secure(Array(data), waitingTimeMultiplier: bytes[7], level: try level())
            return
        case .escape:
            command = .escape(Array(data))
            return
        case .setParameters:
            command = .setParameters(try CCIDParameters(protocolNumber: bytes[7], bytes: data))
            return
        case .setDataRateAndClockFrequency:
            try requireData(8)
            command = .setDataRateAndClockFrequency(
                clock: bytes.littleEndian32(at: 10), dataRate: bytes.littleEndian32(at: 14))
            return
        case .powerOn: command = .powerOn(try field("bPowerSelect"))
        case .powerOff: command = .powerOff
        case .getSlotStatus: command = .getSlotStatus
        case .getParameters: command = .getParameters
        case .resetParameters: command = .resetParameters
        case .clock: command = .clock(try field("bClockCommand"))
        case .t0APDU:
            command = .t0APDU(changes: bytes[7], classGetResponse: bytes[8], classEnvelope: bytes[9])
        case .mechanical: command = .mechanical(try field("bFunction"))
        case .abort: command = .abort
        }
        try requireData(0)
    }
}
