import Foundation

/// A root directory with /sys and /proc, in which devices are plugged in and programs run.
final class SystemTree: Sendable {
    let root: String
    let sysfs: SysfsFixture

    init() throws {
        root = FileManager.default.temporaryDirectory.path + "/system-\(UUID().uuidString)"
        sysfs = try SysfsFixture(directory: "\(root)/sys/bus/usb/devices")
        try FileManager.default.createDirectory(atPath: "\(root)/proc", withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: root) }

    /// Adds a reader and binds drivers to its interfaces.
    func plug(_ name: String, address: UInt8, drivers: [UInt8: String] = [:]) throws {
        try sysfs.plug(name, address: address)
        for (interface, driver) in drivers { try bind(driver, to: interface, of: name) }
    }

    func bind(_ driver: String, to interface: UInt8, of name: String) throws {
        let place = "\(name):1.\(interface)"
        try sysfs.write("0\(interface)\n", to: "bInterfaceNumber", of: place)
        try FileManager.default.createSymbolicLink(
            atPath: "\(sysfs.directory)/\(place)/driver", withDestinationPath: "../../../../bus/usb/drivers/\(driver)")
    }

    /// Adds a program that has `files` open; nil when nobody may look at them.
    func start(_ name: String, pid: Int32, open files: [String]?) throws {
        let directory = "\(root)/proc/\(pid)"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        try Data("\(name)\n".utf8).write(to: URL(fileURLWithPath: "\(directory)/comm"))
        guard let files else {
            // Root may read every directory, so what refuses is a link that leads to itself.
            try FileManager.default.createSymbolicLink(atPath: "\(directory)/fd", withDestinationPath: "fd")
            return
        }
        try FileManager.default.createDirectory(atPath: "\(directory)/fd", withIntermediateDirectories: true)
        for (number, file) in files.enumerated() {
            try FileManager.default.createSymbolicLink(
                atPath: "\(directory)/fd/\(number)", withDestinationPath: file)
        }
    }
}
