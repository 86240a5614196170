/// What a reader answers, without slot, sequence number and status (CCID 1.1 §6.2).
///
/// Its description names lengths only: a block may hold card data.
public enum CCIDResponse: Hashable, Sendable, CustomStringConvertible {
    /// An ATR, or what the card answered.
    case dataBlock([UInt8], chain: CCIDChainParameter = .whole)
    case slotStatus(CCIDClockStatus)
    /// nil when the command failed and no structure came.
    case parameters(CCIDParameters?)
    case escape([UInt8])
    /// Clock in kHz, data rate in bit/s.
    case dataRateAndClockFrequency(clock: UInt32, dataRate: UInt32)

    /// bMessageType
    public var type: CCIDResponseType {
        switch self {
        case .dataBlock: .dataBlock
        case .slotStatus: .slotStatus
        case .parameters: .parameters
        case .escape: .escape
        case .dataRateAndClockFrequency: .dataRateAndClockFrequency
        }
    }

    public var description: String {
        switch self {
        case .dataBlock(let data, _), .escape(let data): "\(type) of \(data.count) bytes"
        default: "\(type)"
        }
    }
}
