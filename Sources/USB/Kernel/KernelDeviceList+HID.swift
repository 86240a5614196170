/// What the kernel's HID driver shows below an interface (drivers/hid; Documentation/hid/hidraw).
extension KernelDeviceList {
    /// Human interface device class (HID 1.11 §4.1).
    static let hidClass: UInt8 = 0x03

    /// - Parameter path: the directory of an interface.
    /// - Returns: nil when another driver has it, or none.
    func kernelHID(_ path: String) -> KernelHID? {
        // The HID device below it is named after bus, vendor and product, for example 0003:0801:0002.0001.
        for name in (try? KernelFile.names(in: path)) ?? [] where name.hasPrefix("0003:") {
            guard let descriptor = KernelFile.contents("\(path)/\(name)/report_descriptor"), !descriptor.isEmpty else {
                continue
            }
            let nodes = (try? KernelFile.names(in: "\(path)/\(name)/hidraw")) ?? []
            return KernelHID(reportDescriptor: descriptor, node: nodes.min())
        }
        return nil
    }
}

extension USBDevice {
    /// Whether the kernel's HID driver has looked at every interface that is its own. It does so some milliseconds
    /// after the device came.
    var hasSettledHID: Bool {
        let interfaces = configuration?.interfaces ?? []
        return interfaces.allSatisfy {
            $0.classCode != KernelDeviceList.hidClass || $0.alternateSetting != 0 || $0.kernelHID != nil
        }
    }
}

extension USBConfiguration {
    /// Asks about each HID interface, by its number.
    mutating func addKernelHID(_ find: (UInt8) -> KernelHID?) {
        for index in interfaces.indices where interfaces[index].classCode == KernelDeviceList.hidClass {
            interfaces[index].kernelHID = find(interfaces[index].number)
        }
    }
}
