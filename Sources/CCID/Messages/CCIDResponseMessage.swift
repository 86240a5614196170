/// A whole answer of a reader (CCID 1.1 §6.2).
public struct CCIDResponseMessage: Hashable, Sendable {
    public var slot: UInt8
    public var sequence: UInt8
    public var status: CCIDStatus
    public var response: CCIDResponse

    public init(slot: UInt8, sequence: UInt8, status: CCIDStatus, response: CCIDResponse) {
        (self.slot, self.sequence, self.status, self.response) = (slot, sequence, status, response)
    }

    /// The encoded message: ten bytes of header, then the data.
    public var bytes: [UInt8] {
        var data: [UInt8] = []
        var specific: UInt8 = 0
        switch response {
        case .dataBlock(let block, let chain): (data, specific) = (block, chain.rawValue)
        case .slotStatus(let clock): specific = clock.rawValue
        case .parameters(let parameters):
            (data, specific) = (parameters?.bytes ?? [], parameters?.protocolNumber ?? 0)
        case .escape(let block): data = block
        case .dataRateAndClockFrequency(let clock, let dataRate):
            data.appendLittleEndian(clock)
            data.appendLittleEndian(dataRate)
        }
        var bytes = [response.type.rawValue]
        bytes.reserveCapacity(CCIDResponseHeader.length + data.count)
        bytes.appendLittleEndian(UInt32(clamping: data.count))
        bytes += [slot, sequence, status.statusByte, status.errorByte, specific]
        return bytes + data
    }

    /// Decodes an answer.
    ///
    /// - Throws: ``CCIDMessageError``
    public init(bytes: [UInt8]) throws(CCIDMessageError) {
        let header = try CCIDResponseHeader(message: bytes)
        (slot, sequence, status) = (header.slot, header.sequence, header.status)
        let data = bytes[CCIDResponseHeader.length...]
        switch header.type {
        case .dataBlock:
            guard let chain = CCIDChainParameter(rawValue: header.specific) else {
                throw .invalidField(name: "bChainParameter", offset: 9, value: header.specific)
            }
            response = .dataBlock(Array(data), chain: chain)
        case .slotStatus:
            guard let clock = CCIDClockStatus(rawValue: header.specific) else {
                throw .invalidField(name: "bClockStatus", offset: 9, value: header.specific)
            }
            guard data.isEmpty else { throw .wrongDataLength(expected: 0, actual: data.count) }
            response = .slotStatus(clock)
        case .parameters:
            if data.isEmpty, header.status.outcome != .done {
                response = .parameters(nil)
            } else {
                response = .parameters(try CCIDParameters(protocolNumber: header.specific, bytes: data))
            }
        case .escape: response = .escape(Array(data))
        case .dataRateAndClockFrequency:
            guard data.count == 8 else { throw .wrongDataLength(expected: 8, actual: data.count) }
            response = .dataRateAndClockFrequency(
                clock: bytes.littleEndian32(at: 10), dataRate: bytes.littleEndian32(at: 14))
        }
    }
}
