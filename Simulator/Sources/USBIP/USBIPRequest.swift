/// What a client asks for before it has a device: a header of version, code and status (two, two and four bytes, the
/// highest first), and for an import the bus ID in 32 bytes, filled up with zeros.
///
/// Source: the kernel's Documentation/usb/usbip_protocol.rst, OP_REQ_DEVLIST and OP_REQ_IMPORT.
enum USBIPRequest: Hashable, Sendable {
    /// The list of the devices that can be imported.
    case deviceList
    /// The device with this bus ID.
    case importDevice(busID: String)

    /// 1.1.1, the only version that is in use.
    static let version: UInt16 = 0x0111
    static let headerLength = 8
    static let busIDLength = 32

    /// Takes the first whole request out of what has come; nil until there is one.
    ///
    /// - Throws: ``DoorError/malformed(_:)``
    static func take(from received: inout [UInt8]) throws(DoorError) -> USBIPRequest? {
        guard received.count >= headerLength, let head = received.bigEndianWord(at: 0) else { return nil }
        let (version, code) = (head >> 16, head & 0xFFFF)
        guard version == Self.version else {
            throw .malformed("version 0x\(String(version, radix: 16)), which is not 1.1.1")
        }
        switch code {
        case 0x8005:
            _ = received.take(headerLength)
            return .deviceList
        case 0x8003:
            guard let bytes = received.take(headerLength + busIDLength) else { return nil }
            let name = bytes.dropFirst(headerLength).prefix { $0 != 0 }
            return .importDevice(busID: String(decoding: name, as: UTF8.self))
        default:
            throw .malformed("request 0x\(String(code, radix: 16)) is neither a list nor an import")
        }
    }
}
