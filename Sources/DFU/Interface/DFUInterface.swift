public import USB

/// The interface through which a device takes firmware (DFU 1.1 §4.1, §4.2).
public struct DFUInterface: Hashable, Sendable {
    /// What the device is now: bInterfaceProtocol.
    public enum Mode: UInt8, Hashable, Sendable {
        /// It does its work, and can be asked to take firmware.
        case runtime = 1
        /// It does nothing but take firmware.
        case update = 2
    }

    /// Application specific, device firmware upgrade.
    static let classCode: UInt8 = 0xFE
    static let subclassCode: UInt8 = 0x01
    /// bDescriptorType of the functional descriptor (§4.1.3).
    static let functionalDescriptor: UInt8 = 0x21
    /// What is sent at a time to a device that states less than any can take.
    static let leastTransferSize = 8
    /// Linux takes no longer control transfers from a program (drivers/usb/core/devio.c).
    static let mostTransferSize = 4096

    public let number: UInt8
    public let mode: Mode
    /// Whether firmware can be sent to it (bitCanDnload).
    public let canDownload: Bool
    /// Whether the device still answers when it has taken in the firmware (bitManifestationTolerant).
    public let survivesManifestation: Bool
    /// Whether the device comes back by itself when it is asked to take firmware (bitWillDetach); others want to be reset.
    public let detachesItself: Bool
    /// How long after the request it waits for the reset (wDetachTimeOut).
    public let detachTimeout: Duration
    /// The most bytes that the device takes at a time (wTransferSize).
    public let transferSize: Int

    /// The interface of a device; nil when it has none, or none that says how.
    public static func find(in device: USBDevice) -> DFUInterface? {
        (device.configuration?.interfaces ?? []).lazy.compactMap { DFUInterface($0) }.first
    }

    /// In update mode the first setting is taken; others are for further memories of the device.
    private init?(_ interface: USBInterface) {
        guard interface.classCode == Self.classCode, interface.subclassCode == Self.subclassCode,
            interface.alternateSetting == 0, let mode = Mode(rawValue: interface.protocolCode),
            let bytes = interface.classDescriptors.first(where: {
                $0.count >= 7 && $0[1] == Self.functionalDescriptor
            })
        else { return nil }
        (number, self.mode) = (interface.number, mode)
        canDownload = bytes[2] & 0x01 != 0
        survivesManifestation = bytes[2] & 0x04 != 0
        detachesItself = bytes[2] & 0x08 != 0
        detachTimeout = .milliseconds(Int(bytes[3]) | Int(bytes[4]) << 8)
        transferSize = min(Self.mostTransferSize, max(Self.leastTransferSize, Int(bytes[5]) | Int(bytes[6]) << 8))
    }
}
