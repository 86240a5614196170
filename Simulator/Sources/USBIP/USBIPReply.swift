/// What a client gets for a ``USBIPCommand``: a header of 48 bytes, and the bytes of an IN transfer.
///
/// Source: the kernel's Documentation/usb/usbip_protocol.rst, USBIP_RET_SUBMIT and USBIP_RET_UNLINK.
enum USBIPReply: Hashable, Sendable {
    /// How a transfer ended. The numbers are the `errno` of Linux, negative.
    enum Status: Int32, Hashable, Sendable {
        case success = 0
        /// EPIPE: the endpoint stalled.
        case stalled = -32
        /// EOVERFLOW: the device had more than the client has room for.
        case overflow = -75
        /// EREMOTEIO: short, where that was not allowed.
        case short = -121
        /// ECONNRESET: taken back.
        case unlinked = -104
    }

    /// A transfer ended; `data` is empty for an OUT transfer, of which `length` bytes were sent.
    case ended(sequence: UInt32, Status, length: Int, data: [UInt8])
    /// A transfer was taken back (``Status/unlinked``), or had ended already (``Status/success``).
    case unlinked(sequence: UInt32, Status)

    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        switch self {
        case .ended(let sequence, let status, let length, let data):
            Self.append(3, sequence, status, to: &bytes)
            bytes.append(bigEndian: UInt32(clamping: length))
            // Start frame, packets, errors and eight bytes that mean nothing.
            return bytes + [UInt8](repeating: 0, count: 20) + data
        case .unlinked(let sequence, let status):
            Self.append(4, sequence, status, to: &bytes)
            return bytes + [UInt8](repeating: 0, count: 24)
        }
    }

    /// Device, direction and endpoint are zero in an answer.
    private static func append(_ code: UInt32, _ sequence: UInt32, _ status: Status, to bytes: inout [UInt8]) {
        for word in [code, sequence, 0, 0, 0, UInt32(bitPattern: status.rawValue)] { bytes.append(bigEndian: word) }
    }
}
