import Text
import USB

/// A client's command for its imported device. A header of 48 bytes with big-endian numbers: command, sequence
/// number, device, direction, and endpoint; then command-specific fields, followed by the data of an OUT transfer.
///
/// Source: the kernel's Documentation/usb/usbip_protocol.rst, USBIP_CMD_SUBMIT and USBIP_CMD_UNLINK.
enum USBIPCommand: Hashable, Sendable {
    case submit(USBIPTransfer)
    /// Cancel the transfer with the number `victim`.
    case unlink(sequence: UInt32, victim: UInt32)

    static let headerLength = 48
    /// The maximum length of a transfer in bytes; Linux allows no more for all programs together.
    static let maximumLength: UInt32 = 16 << 20

    /// Removes and returns the first complete command.
    ///
    /// - Parameters:
    ///   - received: the received bytes; the command is removed.
    ///   - device: the number of the imported device.
    /// - Returns: nil until there is a complete command.
    /// - Throws: ``BridgeError/malformed(_:)``
    static func take(from received: inout [UInt8], device: UInt32) throws(BridgeError) -> USBIPCommand? {
        guard received.count >= headerLength, let command = received.bigEndianWord(at: 0),
            let sequence = received.bigEndianWord(at: 4), let target = received.bigEndianWord(at: 8),
            let direction = received.bigEndianWord(at: 12), let endpoint = received.bigEndianWord(at: 16),
            // The number of the victim, or the flags of the transfer.
            let first = received.bigEndianWord(at: 20), let length = received.bigEndianWord(at: 24),
            let packets = received.bigEndianWord(at: 32)
        else { return nil }
        guard target == device else { throw .malformed("a command for device \(target), which was not imported") }
        guard command != 2 else {
            _ = received.take(headerLength)
            return .unlink(sequence: sequence, victim: first)
        }
        guard command == 1 else { throw .malformed("command \(command) is neither 1 nor 2") }
        guard direction <= 1 else { throw .malformed("direction \(direction) is neither 0 nor 1") }
        guard let number = UInt8(exactly: endpoint), number <= 15 else { throw .malformed("endpoint \(endpoint)") }
        guard length <= maximumLength else { throw .malformed("a transfer of \(length) bytes") }
        // Both values mean that the transfer is not isochronous.
        guard packets == 0 || packets == .max else { throw .malformed("an isochronous transfer") }
        let isInput = direction == 1
        guard let bytes = received.take(headerLength + (isInput ? 0 : Int(length))) else { return nil }
        let data = Array(bytes.dropFirst(headerLength))
        var transfer = USBIPTransfer(
            sequence: sequence, endpoint: isInput ? number | 0x80 : number,
            mustBeFull: first & USBIPTransfer.shortNotOK != 0, length: Int(length), data: data)
        if number == 0 { transfer.request = request(Array(bytes[40..<48]), data) }
        return .submit(transfer)
    }

    /// Decodes a setup packet: type, request, value, index, and length, little-endian (USB 2.0 §9.3).
    private static func request(_ setup: [UInt8], _ data: [UInt8]) -> USBControlRequest {
        func word(_ index: Int) -> UInt16 { UInt16(setup[index]) | UInt16(setup[index + 1]) << 8 }
        let (type, number) = (setup[0], setup[1])
        return type & 0x80 == 0
            ? .output(type: type, request: number, value: word(2), index: word(4), data: data)
            : .input(type: type, request: number, value: word(2), index: word(4), length: word(6))
    }
}

/// A transfer submitted by a client (a URB in Linux).
struct USBIPTransfer: Hashable, Sendable {
    /// URB_SHORT_NOT_OK of `transfer_flags`.
    static let shortNotOK: UInt32 = 0x0001

    /// The client's number of the transfer.
    var sequence: UInt32
    /// The endpoint address; bit 7 set means IN.
    var endpoint: UInt8
    /// Whether a short IN transfer is an error.
    var mustBeFull = false
    /// The size of the client's buffer in bytes.
    var length: Int
    /// The data of an OUT transfer.
    var data: [UInt8] = []
    /// The setup packet of a control transfer.
    var request: USBControlRequest?

    var isInput: Bool { endpoint & 0x80 != 0 }
}

/// The server's reply to a ``USBIPCommand``: a header of 48 bytes, followed by the data of an IN transfer.
///
/// Source: the kernel's Documentation/usb/usbip_protocol.rst, USBIP_RET_SUBMIT and USBIP_RET_UNLINK.
enum USBIPReply: Hashable, Sendable {
    /// How a transfer ended, as a negative Linux `errno`.
    enum Status: Int32, Hashable, Sendable {
        case success = 0
        /// EPIPE: the endpoint stalled.
        case stalled = -32
        /// EOVERFLOW: the device sent more than the client's buffer holds.
        case overflow = -75
        /// EREMOTEIO: the transfer was short, which was not allowed.
        case short = -121
        /// ECONNRESET: canceled.
        case unlinked = -104
    }

    /// A transfer ended; `data` is empty for an OUT transfer, which sent `length` bytes.
    case ended(sequence: UInt32, Status, length: Int, data: [UInt8])
    /// A transfer was canceled (``Status/unlinked``) or had already ended (``Status/success``).
    case unlinked(sequence: UInt32, Status)

    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        switch self {
        case .ended(let sequence, let status, let length, let data):
            Self.append(3, sequence, status, to: &bytes)
            bytes.append(bigEndian: UInt32(clamping: length))
            // Start frame, packets, errors, and eight unused bytes.
            return bytes + [UInt8](repeating: 0, count: 20) + data
        case .unlinked(let sequence, let status):
            Self.append(4, sequence, status, to: &bytes)
            return bytes + [UInt8](repeating: 0, count: 24)
        }
    }

    /// Device, direction, and endpoint are zero in a reply.
    private static func append(_ code: UInt32, _ sequence: UInt32, _ status: Status, to bytes: inout [UInt8]) {
        for word in [code, sequence, 0, 0, 0, UInt32(bitPattern: status.rawValue)] { bytes.append(bigEndian: word) }
    }
}

/// A client's request before it has a device: a header with version, code, and status (two, two, and four bytes,
/// big-endian), and for an import the bus ID in 32 bytes, zero-padded.
///
/// Source: the kernel's Documentation/usb/usbip_protocol.rst, OP_REQ_DEVLIST and OP_REQ_IMPORT.
enum USBIPRequest: Hashable, Sendable {
    /// List the devices that can be imported.
    case deviceList
    /// Import the device with this bus ID.
    case importDevice(busID: String)

    /// Version 1.1.1, the only one in use.
    static let version: UInt16 = 0x0111
    static let headerLength = 8
    static let busIDLength = 32

    /// Removes and returns the first complete request; nil until there is one.
    ///
    /// - Throws: ``BridgeError/malformed(_:)``
    static func take(from received: inout [UInt8]) throws(BridgeError) -> USBIPRequest? {
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

/// The server's answer to a ``USBIPRequest``: a header like the request's, followed by devices.
///
/// Source: the kernel's Documentation/usb/usbip_protocol.rst, OP_REP_DEVLIST and OP_REP_IMPORT.
enum USBIPAnswer: Hashable, Sendable {
    /// The devices, each with its interfaces.
    case deviceList([USBIPDeviceRecord])
    /// The client has the device until the connection ends.
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

/// Why an import was refused. The protocol treats any value except 0 as an error; these are the values of the
/// kernel's server, which its client explains.
public enum USBIPRefusal: UInt32, Hashable, Sendable {
    /// Another client has the device.
    case busy = 2
    /// There is no device with this bus ID.
    case unknown = 4
}

/// A device in the server's format: 312 bytes, and four for each interface in a list.
struct USBIPDeviceRecord: Hashable, Sendable {
    private static let pathLength = 256

    /// The bus and port of the device, for example `1-2`.
    var busID: String
    var device: USBDevice
    var speed: USBSpeed

    /// The number of the device in commands: its bus and address.
    var number: UInt32 { UInt32(device.bus) << 16 | UInt32(device.address) }

    var bytes: [UInt8] {
        // The place of a real device in sysfs. Clients only display it.
        var bytes = Self.text("/sys/devices/simulated/usb\(device.bus)/\(busID)", in: Self.pathLength)
        bytes += Self.text(busID, in: USBIPRequest.busIDLength)
        bytes.append(bigEndian: UInt32(device.bus))
        bytes.append(bigEndian: UInt32(device.address))
        bytes.append(bigEndian: speed.rawValue)
        let descriptor = device.descriptor
        for word in [descriptor.vendorID, descriptor.productID, descriptor.release] {
            bytes += [UInt8(word >> 8), UInt8(word & 0xFF)]
        }
        return bytes + [
            descriptor.deviceClass, 0, 0, device.configuration?.value ?? 0, 1, UInt8(clamping: interfaces.count),
        ]
    }

    /// Class, subclass, and protocol of each interface, and a zero.
    var interfaceBytes: [UInt8] {
        interfaces.flatMap { [$0.classCode, $0.subclassCode, $0.protocolCode, 0] }
    }

    private var interfaces: [USBInterface] {
        device.configuration?.interfaces.filter { $0.alternateSetting == 0 } ?? []
    }

    /// The last byte is always zero.
    private static func text(_ text: String, in length: Int) -> [UInt8] {
        text.utf8.prefix(length - 1).padded(to: length, with: 0)
    }
}
