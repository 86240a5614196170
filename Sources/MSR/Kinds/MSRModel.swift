/// A reader that does not say by its descriptors what it is.
public struct MSRModel: Hashable, Sendable {
    public let vendorID: UInt16
    public let productID: UInt16
    public let format: MSRFormat

    public init(vendorID: UInt16, productID: UInt16, format: MSRFormat) {
        (self.vendorID, self.productID, self.format) = (vendorID, productID, format)
    }

    /// The ones that are known. A keyboard that is none of them is somebody's keyboard.
    public static let known = [
        // MagTek swipe readers in keyboard mode (USB Keyboard Emulation Swipe Reader Technical Reference Manual 99875206).
        MSRModel(vendorID: 0x0801, productID: 0x0001, format: .keyboard),
        // The same in HID mode (99875191).
        MSRModel(vendorID: 0x0801, productID: 0x0002, format: .tracks(.magTek)),
        // Swipe readers that the USB ID database (linux-usb.org) lists and that are sold as typing: MSR-101U, MSR90.
        MSRModel(vendorID: 0x5131, productID: 0x2007, format: .keyboard),
        MSRModel(vendorID: 0xC216, productID: 0x0180, format: .keyboard),
        // Unbranded readers (github.com/alexile/usb_hid_magstripe_reader).
        MSRModel(vendorID: 0xFFFF, productID: 0x0035, format: .keyboard),
    ]
}
