internal import USB

/// The class requests of DFU (DFU 1.1 §3).
enum DFURequest {
    /// bmRequestType: class request to an interface.
    private static let output: UInt8 = 0x21
    private static let input: UInt8 = 0xA1

    /// DETACH: go into update mode at the next reset, if it comes within `timeout`.
    static func detach(_ interface: DFUInterface) -> USBControlRequest {
        let milliseconds =
            interface.detachTimeout.components.seconds * 1000
            + interface.detachTimeout.components.attoseconds / 1_000_000_000_000_000
        return .output(
            type: output, request: 0, value: UInt16(clamping: milliseconds), index: UInt16(interface.number), data: [])
    }

    /// DNLOAD: a block of firmware; an empty one says that there is no more.
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

    /// ABORT: drop what was begun.
    static func abort(_ interface: DFUInterface) -> USBControlRequest {
        .output(type: output, request: 6, value: 0, index: UInt16(interface.number), data: [])
    }
}
