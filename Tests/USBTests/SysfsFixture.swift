import Foundation

/// A directory in which devices are listed as Linux lists them in /sys/bus/usb/devices.
final class SysfsFixture: Sendable {
    let directory: String

    init(directory: String? = nil) throws {
        self.directory = directory ?? FileManager.default.temporaryDirectory.path + "/sysfs-\(UUID().uuidString)"
        let directory = self.directory
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: directory) }

    func write(_ bytes: [UInt8], to attribute: String, of device: String) throws {
        try FileManager.default.createDirectory(atPath: "\(directory)/\(device)", withIntermediateDirectories: true)
        try Data(bytes).write(to: URL(fileURLWithPath: "\(directory)/\(device)/\(attribute)"))
    }

    func write(_ text: String, to attribute: String, of device: String) throws {
        try write(Array(text.utf8), to: attribute, of: device)
    }

    /// Adds a reader; no node in /dev belongs to its bus number.
    func plug(
        _ name: String, address: UInt8,
        descriptors: [UInt8] = DescriptorSamples.device
            + DescriptorSamples.configuration(1, DescriptorSamples.interface, DescriptorSamples.endpoints)
    ) throws {
        try write("250\n", to: "busnum", of: name)
        try write("1\n", to: "bConfigurationValue", of: name)
        try write(descriptors, to: "descriptors", of: name)
        // Last, so that somebody who looks in between does not see half a device.
        try write("\(address)\n", to: "devnum", of: name)
    }

    func unplug(_ name: String) throws { try FileManager.default.removeItem(atPath: "\(directory)/\(name)") }
}
