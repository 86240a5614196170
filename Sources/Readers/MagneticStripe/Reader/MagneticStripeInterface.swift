public import USB

/// The magnetic stripe reader in a USB device: a HID interface and the format of its swipes.
public struct MagneticStripeInterface: Hashable, Sendable {
    public let hid: HIDInterface
    public let format: SwipeFormat

    /// Takes an interface and the format of its reports.
    public init(hid: HIDInterface, format: SwipeFormat) { (self.hid, self.format) = (hid, format) }

    /// Returns the devices of a bus, for ``find(in:models:)``.
    ///
    /// A killed program leaves its reader detached from the kernel's driver, and then the kernel has no report
    /// descriptor to recognize it by. This requests the report descriptor from a device that may be such a reader,
    /// unless another program uses it. A device that does not answer is listed as it is.
    ///
    /// - Parameters:
    ///   - bus: the bus.
    ///   - models: readers that their descriptors do not identify.
    /// - Returns: every device of the bus.
    /// - Throws: ``USB/USBError``
    public static func devices(
        on bus: any USBBus, models: [MagneticStripeReaderModel] = MagneticStripeReaderModel.known
    ) async throws(USBError) -> [USBDevice] {
        var devices = try await bus.devices()
        for (index, device) in devices.enumerated() where find(in: device, models: models) == nil {
            for interface in HIDInterface.all(in: device) where interface.kernel == nil && !interface.isBootKeyboard {
                guard await bus.owners(of: device, interface: interface.number).isEmpty,
                    let bytes = try? await USBHIDDevice.reportDescriptor(of: device, interface, on: bus)
                else { continue }
                devices[index].configuration?.note(bytes, asReportDescriptorOf: interface.number)
            }
        }
        return devices
    }

    /// Finds the magnetic stripe reader of a device, without opening it: readers with standard usages are recognized by
    /// the report descriptor that the kernel has read, others by vendor and product.
    ///
    /// - Parameters:
    ///   - device: any USB device.
    ///   - models: readers that their descriptors do not identify.
    /// - Returns: nil when it is none.
    public static func find(in device: USBDevice, models: [MagneticStripeReaderModel] = MagneticStripeReaderModel.known)
        -> MagneticStripeInterface?
    {
        let interfaces = HIDInterface.all(in: device)
        let model = models.first {
            $0.vendorID == device.descriptor.vendorID && $0.productID == device.descriptor.productID
        }
        for interface in interfaces {
            guard let descriptor = interface.kernel?.reportDescriptor,
                let layout = try? HIDReportDescriptor(parsing: descriptor)
            else { continue }
            if layout.applications.contains(SwipeUsages.pointOfSale.application) {
                return MagneticStripeInterface(hid: interface, format: .tracks(.pointOfSale))
            }
            if let model, model.format.fits(layout) {
                return MagneticStripeInterface(hid: interface, format: model.format)
            }
        }
        // The kernel's HID driver does not have it: the reader is the first interface.
        guard let model, let first = interfaces.first(where: { $0.kernel == nil }) else { return nil }
        return MagneticStripeInterface(hid: first, format: model.format)
    }
}

extension USBConfiguration {
    /// Adds a report descriptor as the kernel would.
    fileprivate mutating func note(_ bytes: [UInt8], asReportDescriptorOf number: UInt8) {
        for index in interfaces.indices where interfaces[index].number == number {
            interfaces[index].kernelHID = KernelHID(reportDescriptor: bytes)
        }
    }
}

extension SwipeFormat {
    /// Returns whether a reader of this format could have such reports.
    fileprivate func fits(_ layout: HIDReportDescriptor) -> Bool {
        switch self {
        case .tracks(let usages): layout.applications.contains(usages.application)
        case .keyboard: layout.input(KeyboardLayout.firstKey) != nil
        }
    }
}

/// A reader model that its descriptors do not identify.
public struct MagneticStripeReaderModel: Hashable, Sendable {
    public let vendorID: UInt16
    public let productID: UInt16
    public let format: SwipeFormat

    /// Names a model by its IDs, and tells the format of its reports.
    public init(vendorID: UInt16, productID: UInt16, format: SwipeFormat) {
        (self.vendorID, self.productID, self.format) = (vendorID, productID, format)
    }

    /// The known models. Any other keyboard is a normal keyboard.
    public static let known = [
        // MagTek swipe readers in keyboard mode (USB Keyboard Emulation Swipe Reader Technical Reference Manual
        // 99875206).
        MagneticStripeReaderModel(vendorID: 0x0801, productID: 0x0001, format: .keyboard),
        // The same in HID mode (99875191).
        MagneticStripeReaderModel(vendorID: 0x0801, productID: 0x0002, format: .tracks(.magTek)),
        // Swipe readers in the USB ID database (linux-usb.org) that are sold as keyboards: MSR-101U, MSR90.
        MagneticStripeReaderModel(vendorID: 0x5131, productID: 0x2007, format: .keyboard),
        MagneticStripeReaderModel(vendorID: 0xC216, productID: 0x0180, format: .keyboard),
        // Unbranded readers (github.com/alexile/usb_hid_magstripe_reader).
        MagneticStripeReaderModel(vendorID: 0xFFFF, productID: 0x0035, format: .keyboard),
    ]
}

/// How a magnetic stripe reader delivers a swipe.
public enum SwipeFormat: Hashable, Sendable {
    /// One report holds the tracks, in fields with these usages.
    case tracks(SwipeUsages)
    /// The reader types the tracks, as a keyboard.
    case keyboard
}

/// How the driver accesses a reader's reports.
public enum HIDAccess: String, Hashable, Sendable, CaseIterable {
    /// This program drives the interface itself and detaches the kernel's driver. Without permission for that, a reader
    /// that does not type is read as with ``hidraw``.
    case usb
    /// The kernel's driver keeps the interface, and its hidraw node is read.
    case hidraw
}
