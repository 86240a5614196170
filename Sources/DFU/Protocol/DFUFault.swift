/// Why a device refuses firmware (DFU 1.1 §6.1.2, bStatus).
public enum DFUFault: Hashable, Sendable, CustomStringConvertible {
    case wrongTarget
    case failedCheckOfFile
    case write
    case erase
    case notErased
    case program
    case verify
    case address
    case incomplete
    /// The firmware that is in it cannot run.
    case firmwareCorrupt
    case vendor
    case unexpectedReset
    case unexpectedPower
    case stalledPacket
    case unknown(UInt8)

    /// Nil when all is well.
    ///
    /// - Parameter status: bStatus
    init?(status: UInt8) {
        let known: [UInt8: DFUFault] = [
            0x01: .wrongTarget, 0x02: .failedCheckOfFile, 0x03: .write, 0x04: .erase, 0x05: .notErased, 0x06: .program,
            0x07: .verify, 0x08: .address, 0x09: .incomplete, 0x0A: .firmwareCorrupt, 0x0B: .vendor,
            0x0C: .unexpectedReset, 0x0D: .unexpectedPower, 0x0F: .stalledPacket,
        ]
        guard status != 0 else { return nil }
        self = known[status] ?? .unknown(status)
    }

    public var description: String {
        switch self {
        case .wrongTarget: "the file is not for this device"
        case .failedCheckOfFile: "the file fails a check of the device's maker"
        case .write: "its memory cannot be written"
        case .erase: "its memory cannot be erased"
        case .notErased: "its memory is not empty after it was erased"
        case .program: "its memory cannot be programmed"
        case .verify: "what was written is not what was sent"
        case .address: "the firmware does not fit its memory"
        case .incomplete: "the firmware is not complete"
        case .firmwareCorrupt: "the firmware in it cannot run"
        case .vendor: "an error of the maker's own"
        case .unexpectedReset: "it was reset in between"
        case .unexpectedPower: "it lost power in between"
        case .stalledPacket: "it was asked something unexpected"
        case .unknown(let status): "status \(status)"
        }
    }
}
