/// An endpoint (USB 2.0 §9.6.6).
public struct USBEndpoint: Hashable, Sendable {
    /// How data flows, the low two bits of bmAttributes.
    public enum Kind: UInt8, Hashable, Sendable { case control, isochronous, bulk, interrupt }

    /// bEndpointAddress; b8 set means IN.
    public var address: UInt8
    public var kind: Kind
    /// Bytes in the largest packet, b11-b1 of wMaxPacketSize.
    public var maximumPacketSize: UInt16
    /// bInterval
    public var interval: UInt8

    public init(address: UInt8, kind: Kind, maximumPacketSize: UInt16, interval: UInt8 = 0) {
        (self.address, self.kind) = (address, kind)
        (self.maximumPacketSize, self.interval) = (maximumPacketSize, interval)
    }

    public var isInput: Bool { address & 0x80 != 0 }
}
