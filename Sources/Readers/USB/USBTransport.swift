/// An open USB device, the interface between reader drivers and hardware. In production libusb implements it, in tests
/// a simulated device; the driver does not see the difference.
///
/// Every transfer has a deadline and ends when its task is canceled. ``close()`` may be called more
/// than once and from any task; the device is closed exactly once, after every running transfer ended.
public protocol USBTransport: Sendable {
    /// The device's descriptors, read when it was opened.
    var device: USBDevice { get }

    /// Claims an interface, detaching a kernel driver that holds it.
    ///
    /// - Throws: ``USBError/busy`` when another process has claimed it.
    func claim(interface: UInt8) async throws(USBError)

    /// Releases an interface and gives it back to the kernel driver that had it.
    func release(interface: UInt8) async throws(USBError)

    /// Writes all of `bytes` to a bulk OUT endpoint.
    func bulkOut(_ bytes: [UInt8], endpoint: UInt8, timeout: Duration) async throws(USBError)

    /// Reads one transfer from a bulk IN endpoint: up to `maximumLength` bytes, ended by a short packet.
    /// Zero bytes are a possible result.
    func bulkIn(endpoint: UInt8, maximumLength: Int, timeout: Duration) async throws(USBError) -> [UInt8]

    /// Writes all of `bytes` to a bulk OUT endpoint and reads one transfer from a bulk IN endpoint, as
    /// ``bulkOut(_:endpoint:timeout:)`` and ``bulkIn(endpoint:maximumLength:timeout:)`` do one after the other. A
    /// transport may make the read ready before the write has ended.
    ///
    /// - Parameters:
    ///   - bytes: the bytes to write.
    ///   - output: the bulk OUT endpoint.
    ///   - writeTimeout: for the write.
    ///   - input: the bulk IN endpoint.
    ///   - maximumLength: the most bytes to read.
    ///   - readTimeout: for the read, from the end of the write on.
    /// - Returns: the bytes that were read; zero bytes are a possible result.
    /// - Throws: ``USBExchangeError``
    func exchange(
        _ bytes: [UInt8], to output: UInt8, writeTimeout: Duration, from input: UInt8, maximumLength: Int,
        readTimeout: Duration
    ) async throws(USBExchangeError) -> [UInt8]

    /// Reads one transfer from an interrupt IN endpoint.
    func interruptIn(endpoint: UInt8, maximumLength: Int, timeout: Duration) async throws(USBError) -> [UInt8]

    /// Runs a control transfer. Returns the device's bytes for an IN request, and nothing for an OUT request.
    func control(_ request: USBControlRequest, timeout: Duration) async throws(USBError) -> [UInt8]

    /// Clears the halt condition of an endpoint after a stall.
    func clearHalt(endpoint: UInt8) async throws(USBError)

    /// Resets the device. Claims are kept when it comes back with the same descriptors.
    func reset() async throws(USBError)

    /// Ends every running transfer, releases every interface and closes the device.
    func close() async
}

extension USBTransport {
    public func exchange(
        _ bytes: [UInt8], to output: UInt8, writeTimeout: Duration, from input: UInt8, maximumLength: Int,
        readTimeout: Duration
    ) async throws(USBExchangeError) -> [UInt8] {
        do throws(USBError) {
            try await bulkOut(bytes, endpoint: output, timeout: writeTimeout)
        } catch {
            throw .write(error)
        }
        do throws(USBError) {
            return try await bulkIn(endpoint: input, maximumLength: maximumLength, timeout: readTimeout)
        } catch {
            throw .read(error)
        }
    }
}

/// The setup packet of a control transfer (USB 2.0 §9.3).
public struct USBControlRequest: Hashable, Sendable {
    /// bmRequestType: direction in b8, type in b7-b6, recipient in b5-b1.
    public var requestType: UInt8
    /// bRequest
    public var request: UInt8
    /// wValue
    public var value: UInt16
    /// wIndex
    public var index: UInt16
    /// The data of an OUT request; empty for an IN request.
    public var data: [UInt8]
    /// wLength of an IN request: the most bytes requested.
    public var length: UInt16

    /// Returns a request that sends data to the device.
    public static func output(type: UInt8, request: UInt8, value: UInt16, index: UInt16, data: [UInt8]) -> Self {
        Self(
            requestType: type & 0x7F, request: request, value: value, index: index, data: data,
            length: UInt16(clamping: data.count))
    }

    /// Returns a request for up to `length` bytes from the device.
    public static func input(type: UInt8, request: UInt8, value: UInt16, index: UInt16, length: UInt16) -> Self {
        Self(requestType: type | 0x80, request: request, value: value, index: index, data: [], length: length)
    }

    /// Whether data flows from the device to the host.
    public var isInput: Bool { requestType & 0x80 != 0 }
}

/// An error of a USB device or of a transfer.
public enum USBError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The device was unplugged.
    case disconnected
    /// The device did not respond before the deadline.
    case timedOut
    /// The endpoint stalled: clear the halt before using it again.
    case stalled
    /// Another process or driver holds the interface.
    case busy
    /// The user may not open the device.
    case accessDenied
    /// No such device or interface.
    case notFound
    /// The device sent more bytes than requested.
    case overflow
    /// The task was canceled, or the device was closed while the transfer ran.
    case canceled
    /// A descriptor is malformed; the text says where.
    case malformedDescriptor(String)
    /// Any other error, with the message of libusb or the kernel.
    case other(String)

    public var description: String {
        switch self {
        case .disconnected: "the USB device was unplugged"
        case .timedOut: "the USB device did not answer in time"
        case .stalled: "the USB endpoint stalled"
        case .busy: "another program or driver holds the USB interface"
        case .accessDenied: "no permission to open the USB device: install udev/60-cardpresent.rules or run as root"
        case .notFound: "no such USB device or interface"
        case .overflow: "the USB device sent more bytes than requested"
        case .canceled: "the USB transfer was canceled"
        case .malformedDescriptor(let place): "malformed USB descriptor: \(place)"
        case .other(let message): message
        }
    }
}

/// The failed half of an exchange.
public enum USBExchangeError: Error, Hashable, Sendable {
    /// The write failed; the device may or may not have received the bytes.
    case write(USBError)
    /// The write succeeded and the read failed.
    case read(USBError)
}
