import USB

/// The class requests of DFU (DFU 1.1 §3).
enum DFURequest {
    /// bmRequestType: class request to an interface.
    private static let output: UInt8 = 0x21
    private static let input: UInt8 = 0xA1

    /// DETACH: enter update mode at the next reset, if it comes within `timeout`.
    static func detach(_ interface: DFUInterface) -> USBControlRequest {
        let milliseconds =
            interface.detachTimeout.components.seconds * 1000
            + interface.detachTimeout.components.attoseconds / 1_000_000_000_000_000
        return .output(
            type: output, request: 0, value: UInt16(clamping: milliseconds), index: UInt16(interface.number), data: [])
    }

    /// DNLOAD: a block of firmware; an empty one ends the download.
    static func download(_ bytes: [UInt8], block: UInt16, _ interface: DFUInterface) -> USBControlRequest {
        .output(type: output, request: 1, value: block, index: UInt16(interface.number), data: bytes)
    }

    static func getStatus(_ interface: DFUInterface) -> USBControlRequest {
        .input(type: input, request: 3, value: 0, index: UInt16(interface.number), length: 6)
    }

    /// CLRSTATUS: leave the error state.
    static func clearStatus(_ interface: DFUInterface) -> USBControlRequest {
        .output(type: output, request: 4, value: 0, index: UInt16(interface.number), data: [])
    }

    /// ABORT: drop the download in progress.
    static func abort(_ interface: DFUInterface) -> USBControlRequest {
        .output(type: output, request: 6, value: 0, index: UInt16(interface.number), data: [])
    }
}

/// The state of a device (DFU 1.1 §6.1.2, bState).
public enum DFUState: UInt8, Hashable, Sendable, CaseIterable {
    case appIdle
    case appDetach
    case idle
    case downloadSync
    case downloadBusy
    case downloadIdle
    case manifestSync
    case manifest
    case manifestWaitReset
    case uploadIdle
    case error
}

/// A device's answer to GETSTATUS (DFU 1.1 §6.1.2).
struct DFUStatus: Hashable, Sendable {
    /// nil without an error.
    var fault: DFUFault?
    /// How long to wait before the next status request (bwPollTimeout).
    var pollTimeout: Duration
    var state: DFUState

    /// - Parameter bytes: the answer.
    /// - Throws: ``DFUError/malformedStatus(_:)``
    init(parsing bytes: [UInt8]) throws(DFUError) {
        guard bytes.count >= 6, let state = DFUState(rawValue: bytes[4]) else { throw .malformedStatus(bytes) }
        fault = DFUFault(status: bytes[0])
        pollTimeout = .milliseconds(Int(bytes[1]) | Int(bytes[2]) << 8 | Int(bytes[3]) << 16)
        self.state = state
    }

    init(fault: DFUFault? = nil, pollTimeout: Duration = .zero, state: DFUState) {
        (self.fault, self.pollTimeout, self.state) = (fault, pollTimeout, state)
    }
}

/// The reason why a device rejected firmware (DFU 1.1 §6.1.2, bStatus).
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
    /// The firmware in the device is corrupt.
    case firmwareCorrupt
    case vendor
    case unexpectedReset
    case unexpectedPower
    case stalledPacket
    case unknown(UInt8)

    /// Nil without an error.
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
        case .failedCheckOfFile: "the file failed a vendor-specific check"
        case .write: "its memory cannot be written"
        case .erase: "its memory cannot be erased"
        case .notErased: "its memory is not empty after erasing"
        case .program: "its memory cannot be programmed"
        case .verify: "the written firmware differs from the file"
        case .address: "the firmware does not fit its memory"
        case .incomplete: "the firmware is not complete"
        case .firmwareCorrupt: "its firmware is corrupt"
        case .vendor: "vendor-specific error"
        case .unexpectedReset: "it was reset during the update"
        case .unexpectedPower: "it lost power during the update"
        case .stalledPacket: "it received an unexpected request"
        case .unknown(let status): "status \(status)"
        }
    }
}
