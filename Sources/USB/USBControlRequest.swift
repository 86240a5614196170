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
    /// What an OUT request carries; empty for an IN request.
    public var data: [UInt8]
    /// wLength of an IN request: the most bytes wanted.
    public var length: UInt16

    /// A request that carries data to the device.
    public static func output(type: UInt8, request: UInt8, value: UInt16, index: UInt16, data: [UInt8]) -> Self {
        Self(
            requestType: type & 0x7F, request: request, value: value, index: index, data: data,
            length: UInt16(clamping: data.count))
    }

    /// A request that asks the device for up to `length` bytes.
    public static func input(type: UInt8, request: UInt8, value: UInt16, index: UInt16, length: UInt16) -> Self {
        Self(requestType: type | 0x80, request: request, value: value, index: index, data: [], length: length)
    }

    /// Whether data flows from the device to the host.
    public var isInput: Bool { requestType & 0x80 != 0 }
}
