public import USB

/// The interface of a device for firmware updates (DFU 1.1 §4.1, §4.2).
public struct DFUInterface: Hashable, Sendable {
    /// The mode of the device: bInterfaceProtocol.
    public enum Mode: UInt8, Hashable, Sendable {
        /// The device works normally and accepts the request to enter update mode.
        case runtime = 1
        /// The device only accepts firmware.
        case update = 2
    }

    /// Application specific, device firmware upgrade.
    static let classCode: UInt8 = 0xFE
    static let subclassCode: UInt8 = 0x01
    /// bDescriptorType of the functional descriptor (§4.1.3).
    static let functionalDescriptor: UInt8 = 0x21
    /// The block size for a device that states an impossibly small one.
    static let leastTransferSize = 8
    /// The longest control transfer that Linux accepts from a program (drivers/usb/core/devio.c).
    static let mostTransferSize = 4096

    public let number: UInt8
    public let mode: Mode
    /// Whether firmware can be sent to it (bitCanDnload).
    public let canDownload: Bool
    /// Whether the device still answers after it installed the firmware (bitManifestationTolerant).
    public let survivesManifestation: Bool
    /// Whether the device enters update mode by itself when requested (bitWillDetach); others need a reset.
    public let detachesItself: Bool
    /// How long after the request the device waits for the reset (wDetachTimeOut).
    public let detachTimeout: Duration
    /// The most bytes per block (wTransferSize).
    public let transferSize: Int

    /// Returns the interface of a device; nil when it has none, or one without a functional descriptor.
    public static func find(in device: USBDevice) -> DFUInterface? {
        (device.configuration?.interfaces ?? []).lazy.compactMap { DFUInterface($0) }.first
    }

    /// In update mode uses the first alternate setting; others are for further memories of the device.
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

/// The reason why firmware was not installed.
public enum DFUError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The device does not support DFU.
    case notSupported
    /// The file is for another device, by its vendor and product.
    case wrongDevice(vendorID: UInt16, productID: UInt16)
    /// A USB transfer failed.
    case usb(USBError)
    /// The answer to GETSTATUS is malformed.
    case malformedStatus([UInt8])
    /// The device is in a state that does not follow from the request.
    case unexpectedState(DFUState)
    /// The device refuses the firmware.
    case refused(DFUFault)
    /// The device stays busy.
    case noEnd(DFUState)
    /// The device did not go into update mode.
    case noUpdateMode
    /// The device did not return to normal operation.
    case noReturn
    /// The device was unplugged; `progress` is the part of the firmware that it had received, 0...1.
    case unplugged(progress: Double)
    /// The task was canceled before anything was changed. The device works as before.
    case canceled

    public var description: String {
        switch self {
        case .notSupported: "the device does not support firmware updates over USB (DFU)"
        case .wrongDevice(let vendor, let product):
            "the file is for other devices than \(USBIdentifiers(vendor: vendor, product: product))"
        case .usb(let error): error.description
        case .malformedStatus(let bytes): "the device sent a malformed status of \(bytes.count) bytes"
        case .unexpectedState(let state): "the device is in an unexpected state: \(state)"
        case .refused(let fault): "the device rejected the firmware: \(fault)"
        case .noEnd(let state): "the device does not leave the state \(state)"
        case .noUpdateMode: "the device did not enter update mode"
        case .noReturn: "the device did not come back after the update"
        case .unplugged(let progress):
            "the device was unplugged at \(Int(progress * 100)) percent of the update"
        case .canceled: "the update was canceled before anything was changed"
        }
    }
}
