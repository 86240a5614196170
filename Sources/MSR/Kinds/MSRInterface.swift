public import HID
public import USB

/// The magnetic stripe reader in a USB device: a HID interface, and how swipes come from it.
public struct MSRInterface: Hashable, Sendable {
    public let hid: HIDInterface
    public let format: MSRFormat

    public init(hid: HIDInterface, format: MSRFormat) { (self.hid, self.format) = (hid, format) }

    /// The devices of a bus, for ``find(in:models:)``.
    ///
    /// A program that is killed leaves a reader that it had taken from the kernel to nobody, and then the kernel has no
    /// report descriptor to know it by. A device that may be such a reader is asked for it. One that somebody has is
    /// left alone, and one that cannot be asked is listed as it is.
    ///
    /// - Parameters:
    ///   - bus: where the devices are.
    ///   - models: readers that do not say what they are.
    /// - Returns: every device of the bus.
    /// - Throws: ``USB/USBError``
    public static func devices(
        on bus: any USBBus, models: [MSRModel] = MSRModel.known
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

    /// Finds the magnetic stripe reader of a device. No device is opened or disturbed for it: readers with standard
    /// usages are known by the report descriptor that the kernel has read, others by vendor and product.
    ///
    /// - Parameters:
    ///   - device: any USB device.
    ///   - models: readers that do not say what they are.
    /// - Returns: nil when it is none.
    public static func find(in device: USBDevice, models: [MSRModel] = MSRModel.known) -> MSRInterface? {
        let interfaces = HIDInterface.all(in: device)
        let model = models.first {
            $0.vendorID == device.descriptor.vendorID && $0.productID == device.descriptor.productID
        }
        for interface in interfaces {
            guard let descriptor = interface.kernel?.reportDescriptor,
                let layout = try? HIDReportDescriptor(parsing: descriptor)
            else { continue }
            if layout.applications.contains(MSRUsages.pointOfSale.application) {
                return MSRInterface(hid: interface, format: .tracks(.pointOfSale))
            }
            if let model, model.format.fits(layout) { return MSRInterface(hid: interface, format: model.format) }
        }
        // The kernel's HID driver does not have it: the first interface is what such a reader has.
        guard let model, let first = interfaces.first(where: { $0.kernel == nil }) else { return nil }
        return MSRInterface(hid: first, format: model.format)
    }
}

extension USBConfiguration {
    /// Shows a report descriptor as the kernel would.
    fileprivate mutating func note(_ bytes: [UInt8], asReportDescriptorOf number: UInt8) {
        for index in interfaces.indices where interfaces[index].number == number {
            interfaces[index].kernelHID = KernelHID(reportDescriptor: bytes)
        }
    }
}

extension MSRFormat {
    /// Whether a reader of this format could have such reports.
    fileprivate func fits(_ layout: HIDReportDescriptor) -> Bool {
        switch self {
        case .tracks(let usages): layout.applications.contains(usages.application)
        case .keyboard: layout.input(KeyboardLayout.firstKey) != nil
        }
    }
}
