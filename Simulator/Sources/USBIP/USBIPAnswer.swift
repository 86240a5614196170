/// What a client gets for a ``USBIPRequest``: a header as the request has it, then devices.
///
/// Source: the kernel's Documentation/usb/usbip_protocol.rst, OP_REP_DEVLIST and OP_REP_IMPORT.
enum USBIPAnswer: Hashable, Sendable {
    /// The devices, each with its interfaces.
    case deviceList([USBIPDeviceRecord])
    /// The device is the client's, as long as the connection is there.
    case imported(USBIPDeviceRecord)
    case refused(USBIPRefusal)

    var bytes: [UInt8] {
        switch self {
        case .deviceList(let records):
            var bytes = Self.header(code: 0x0005, status: 0)
            bytes.append(bigEndian: UInt32(clamping: records.count))
            for record in records { bytes += record.bytes + record.interfaceBytes }
            return bytes
        case .imported(let record):
            return Self.header(code: 0x0003, status: 0) + record.bytes
        case .refused(let refusal):
            return Self.header(code: 0x0003, status: refusal.rawValue)
        }
    }

    private static func header(code: UInt32, status: UInt32) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(bigEndian: UInt32(USBIPRequest.version) << 16 | code)
        bytes.append(bigEndian: status)
        return bytes
    }
}

/// Why a device is not given. The protocol says that anything but 0 is an error; these numbers are those of the
/// kernel's own server, for which its client has words.
public enum USBIPRefusal: UInt32, Hashable, Sendable {
    /// Somebody else has the device.
    case busy = 2
    /// There is no device with this bus ID.
    case unknown = 4
}
