internal import USB

/// A device as the server describes it: 312 bytes, and four for each interface in a list.
struct USBIPDeviceRecord: Hashable, Sendable {
    private static let pathLength = 256

    /// Where the device is plugged in, for example `1-2`: the bus and the port.
    var busID: String
    var device: USBDevice
    var speed: USBSpeed

    /// The number by which commands name the device: its bus and its address.
    var number: UInt32 { UInt32(device.bus) << 16 | UInt32(device.address) }

    var bytes: [UInt8] {
        // A real device's place in sysfs. A client shows it and does nothing with it.
        var bytes = Self.padded("/sys/devices/simulated/usb\(device.bus)/\(busID)", to: Self.pathLength)
        bytes += Self.padded(busID, to: USBIPRequest.busIDLength)
        bytes.append(bigEndian: UInt32(device.bus))
        bytes.append(bigEndian: UInt32(device.address))
        bytes.append(bigEndian: speed.rawValue)
        let descriptor = device.descriptor
        for word in [descriptor.vendorID, descriptor.productID, descriptor.release] {
            bytes += [UInt8(word >> 8), UInt8(word & 0xFF)]
        }
        return bytes + [
            descriptor.deviceClass, 0, 0, device.configuration?.value ?? 0, 1, UInt8(clamping: interfaces.count),
        ]
    }

    /// Class, subclass and protocol of each interface, and a zero.
    var interfaceBytes: [UInt8] {
        interfaces.flatMap { [$0.classCode, $0.subclassCode, $0.protocolCode, 0] }
    }

    private var interfaces: [USBInterface] {
        device.configuration?.interfaces.filter { $0.alternateSetting == 0 } ?? []
    }

    private static func padded(_ text: String, to length: Int) -> [UInt8] {
        // The last byte is always zero.
        let bytes = Array(text.utf8.prefix(length - 1))
        return bytes + [UInt8](repeating: 0, count: length - bytes.count)
    }
}
