import Foundation
import Glibc
import Synchronization

@testable import Doctor

/// A file tree with a kernel with USB, udev, users, and the files of a test.
final class FakeSystem: Sendable {
    let root: String
    var files: SystemFiles { SystemFiles(root: root) }

    static let reader = USBModel(vendor: 0x08E6, product: 0x3437, name: "USB SmartCard Reader", classes: [0x0B])

    init(withUSB: Bool = true) throws {
        root = FileManager.default.temporaryDirectory.path + "/doctor-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
        guard withUSB else { return }
        try makeFolder("/sys/bus/usb/devices")
        try makeFolder("/dev/bus/usb")
        try makeFolder("/usr/lib/udev/rules.d")
        try write("root:x:0:\nalice:x:1000:\n", to: "/etc/group")
        try write("root:x:0:0::/root:/bin/sh\nalice:x:1000:1000::/home/alice:/bin/sh\n", to: "/etc/passwd")
    }

    deinit { try? FileManager.default.removeItem(atPath: root) }

    // MARK: Files

    func makeFolder(_ path: String) throws {
        try FileManager.default.createDirectory(atPath: root + path, withIntermediateDirectories: true)
    }

    func write(_ bytes: [UInt8], to path: String) throws {
        let place = URL(fileURLWithPath: root + path)
        try FileManager.default.createDirectory(
            at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: place)
    }

    func write(_ text: String, to path: String) throws { try write(Array(text.utf8), to: path) }

    func link(_ path: String, to target: String) throws {
        try makeFolder((path as NSString).deletingLastPathComponent)
        try FileManager.default.createSymbolicLink(atPath: root + path, withDestinationPath: target)
    }

    func remove(_ path: String) throws { try FileManager.default.removeItem(atPath: root + path) }

    func text(_ path: String) -> String? { files.text(path) }

    // MARK: Devices

    /// Plugs a device in, with a node of these rights.
    func plug(
        _ name: String, _ model: USBModel = reader, address: UInt8 = 4, mode: UInt32? = 0o660,
        drivers: [UInt8: String] = [:], power: [String: String] = [:]
    ) throws {
        let directory = "/sys/bus/usb/devices/\(name)"
        try write("1\n", to: "\(directory)/busnum")
        try write("1\n", to: "\(directory)/bConfigurationValue")
        try write(model.descriptors, to: "\(directory)/descriptors")
        try write("\(model.name)\n", to: "\(directory)/product")
        for (attribute, value) in power { try write("\(value)\n", to: "\(directory)/power/\(attribute)") }
        for (interface, driver) in drivers {
            let place = "/sys/bus/usb/devices/\(name):1.\(interface)"
            try write("0\(interface)\n", to: "\(place)/bInterfaceNumber")
            try link("\(place)/driver", to: "../../../../bus/usb/drivers/\(driver)")
        }
        if let mode {
            let node = "/dev/bus/usb/001/00\(address)"
            try write("", to: node)
            chmod(root + node, mode)
        }
        try write("\(address)\n", to: "\(directory)/devnum")
    }

    /// Plugs a magnetic stripe reader in that the kernel's HID driver has, with its raw node.
    func plugStripeReader(_ name: String, address: UInt8 = 6) throws {
        try plug(
            name, USBModel(vendor: 0x1234, product: 7, name: "MSR", classes: [3]), address: address,
            drivers: [0: "usbhid"])
        let hid = "/sys/bus/usb/devices/\(name):1.0/0003:1234:0007.0001"
        // HID Point of Sale: a reader with the data of track 2.
        try write(
            [0x05, 0x8E, 0x09, 1, 0xA1, 1, 0x15, 0, 0x26, 0xFF, 0, 0x75, 8, 0x95, 40, 0x09, 0x22, 0x81, 2, 0xC0],
            to: "\(hid)/report_descriptor")
        try makeFolder("\(hid)/hidraw/hidraw3")
        try write("", to: "/dev/hidraw3")
    }

    /// Adds a program with open files; nil when they are not visible.
    func start(_ name: String, pid: Int32, open nodes: [String]?) throws {
        try write("\(name)\n", to: "/proc/\(pid)/comm")
        guard let nodes else { return try link("/proc/\(pid)/fd", to: "fd") }
        for (number, node) in nodes.enumerated() { try link("/proc/\(pid)/fd/\(number)", to: node) }
    }

    // MARK: Users and rules

    /// The group of the nodes that this process makes.
    var nodeGroup: UInt32 { getegid() }

    /// A user at a till, with the groups of the login.
    func alice(_ groups: Set<UInt32> = [1000]) -> LoginUser {
        LoginUser(name: "alice", isRoot: false, groups: groups)
    }

    let rootUser = LoginUser(name: "root", isRoot: true, groups: [0])

    /// Makes the group that the rules name, or another one, with this number.
    func makeGroup(_ number: UInt32, named name: String = InstalledFile.groupName, members: String = "") throws {
        try write(
            "\(name):x:\(number):\(members)\n" + (text("/etc/group") ?? ""), to: "/etc/group")
    }

    func installRules(at path: String = InstalledFile.rules.path) throws {
        try write(InstalledFile.rules.contents, to: path)
    }

    /// Writes the files of this program's package, with their list.
    func installPackage() throws {
        let installed = [InstalledFile.rules, .group].compactMap { file in file.packagedPath.map { (file, $0) } }
        try write(installed.map { $0.1 + "\n" }.joined(), to: Installation.packageList)
        for (file, path) in installed { try write(file.contents, to: path) }
        try write("", to: "/usr/bin/systemd-sysusers")
    }

    func startUdev() throws { try write("", to: "/run/udev/control") }
}

/// A USB device with an interface for each class.
struct USBModel {
    var vendor: UInt16
    var product: UInt16
    var name: String
    var classes: [UInt8]
    /// Instead of the CCID descriptor of an interface of class 0B; what an interface of class FF has.
    var ccid: [UInt8]?
    /// Subclass and protocol of every interface.
    var subclass: (UInt8, UInt8) = (0, 0)

    init(vendor: UInt16, product: UInt16, name: String, classes: [UInt8], ccid: [UInt8]? = nil) {
        (self.vendor, self.product, self.name, self.classes, self.ccid) = (vendor, product, name, classes, ccid)
    }

    /// CCID 1.1 §5.1: one slot, 5 V, T=0, TPDU level, messages of 271 bytes.
    static let ccidDescriptor: [UInt8] =
        [
            54, 0x21, 0x10, 0x01, 0, 7, 1, 0, 0, 0, 0xA0, 0x0F, 0, 0, 0xA0, 0x0F, 0, 0, 0, 0x80, 0x25, 0, 0, 0x80, 0x25,
            0, 0,
        ]
        + [0, 0xFE, 0, 0, 0] + [UInt8](repeating: 0, count: 8) + [0x3A, 0, 1, 0, 0x0F, 1, 0, 0, 0xFF, 0xFF, 0, 0, 0, 1]

    var descriptors: [UInt8] {
        var body: [UInt8] = []
        for (number, code) in classes.enumerated() {
            let number = UInt8(number)
            let endpoints: [UInt8] = [
                7, 5, 0x81 + number * 3, 3, 8, 0, 16, 7, 5, 0x82 + number * 3, 2, 64, 0, 0, 7, 5, 0x03 + number * 3, 2,
                64,
                0, 0,
            ]
            body += [9, 4, number, 0, 3, code, subclass.0, subclass.1, 0]
            // HID 1.11 §6.2.1: one report descriptor of 20 bytes.
            if code == 3 { body += [9, 0x21, 0x11, 1, 0, 1, 0x22, 20, 0] }
            // DFU 1.1 §4.1.3: it can be written, 64 bytes at a time.
            if code == 0xFE, subclass.0 == 1 { body += [9, 0x21, 1, 0xE8, 3, 64, 0, 0x10, 1] }
            body += (code == 0x0B ? ccid ?? Self.ccidDescriptor : code == 0xFF ? ccid ?? [] : []) + endpoints
        }
        let total = UInt16(9 + body.count)
        return [18, 1, 0, 2, 0, 0, 0, 64] + Self.word(vendor) + Self.word(product) + [0, 1, 1, 2, 0, 1]
            + [9, 2] + Self.word(total) + [UInt8(classes.count), 1, 0, 0x80, 50] + body
    }

    private static func word(_ number: UInt16) -> [UInt8] { [UInt8(number & 0xFF), UInt8(number >> 8)] }
}

/// Writes down what it is asked to run.
final class RecordingRunner: CommandRunner {
    private let ran = Mutex<[[String]]>([])
    private let failing: String?

    /// - Parameter failing: a program that ends with an error.
    init(failing: String? = nil) { self.failing = failing }

    var commands: [[String]] { ran.withLock { $0 } }

    func run(_ command: [String]) async throws(RepairError) {
        ran.withLock { $0.append(command) }
        if command.first == failing { throw .failed(program: failing ?? "", status: 6, message: "no such thing") }
    }
}

extension [Finding] {
    var verdicts: [Verdict] { map(\.verdict) }

    /// The fixes, in order, of what is wrong.
    var fixes: [String] { compactMap(\.fix) }
}
