public import CCID
internal import DFU
internal import USB

/// A firmware file of the shop's, for one model of reader.
public struct ReaderFirmware: Hashable, Sendable {
    /// idVendor and idProduct of the reader at work.
    public var vendorID: UInt16
    public var productID: UInt16
    /// The same numbers in update mode.
    public var updateVendorID: UInt16
    public var updateProductID: UInt16
    /// bcdDevice of a reader that has it.
    public var release: ReaderRelease
    /// The DFU file (DFU 1.1 appendix B).
    public var file: String
    public var need: ReaderFirmwareUpdate.Need

    public init(
        vendorID: UInt16, productID: UInt16, updateVendorID: UInt16, updateProductID: UInt16, release: ReaderRelease,
        file: String, need: ReaderFirmwareUpdate.Need = .optional
    ) {
        (self.vendorID, self.productID) = (vendorID, productID)
        (self.updateVendorID, self.updateProductID) = (updateVendorID, updateProductID)
        (self.release, self.file, self.need) = (release, file, need)
    }

    /// Vendor and product of the reader at its work, four hexadecimal digits each: `1209:000d`.
    var usbID: String { ReaderQuirkRule.usbID(vendorID, productID) }

    /// The same in update mode.
    var updateUSBID: String { ReaderQuirkRule.usbID(updateVendorID, updateProductID) }

    /// Whether a device is such a reader at its work.
    func isFor(_ device: USBDeviceDescriptor) -> Bool {
        device.vendorID == vendorID && device.productID == productID
    }

    /// Whether a device is such a reader that waits for firmware.
    func awaits(_ device: USBDevice) -> Bool {
        device.descriptor.vendorID == updateVendorID && device.descriptor.productID == updateProductID
            && DFUInterface.find(in: device)?.mode == .update
    }
}
