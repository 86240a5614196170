import Files
import Glibc

/// Another user of a USB device: a program or a kernel driver.
public enum USBDeviceOwner: Hashable, Sendable, CustomStringConvertible {
    /// A program that has the device's node open.
    case program(name: String, pid: Int32)
    /// A running program that is known to open such devices and whose open files this user cannot see.
    case suspect(name: String, pid: Int32)
    /// A driver of the kernel that is bound to an interface of the device; `place` is the interface's name in sysfs,
    /// `1-1.4:1.0`.
    case driver(name: String, place: String)

    /// The name of the program or the driver.
    public var name: String {
        switch self {
        case .program(let name, _), .suspect(let name, _), .driver(let name, _): name
        }
    }

    public var description: String {
        switch self {
        case .program(let name, let pid): "\(name) (process \(pid))"
        case .suspect(let name, let pid): "probably \(name) (process \(pid))"
        case .driver(let name, let place): "the kernel driver \(name) (interface \(place))"
        }
    }

    /// The command that makes the owner release the device. This library never ends another program.
    public var remedy: String {
        switch self {
        case .program(let name, let pid), .suspect(let name, let pid):
            Self.programs[name] ?? "kill \(pid)"
        case .driver(let name, let place): "echo \(place) | sudo tee /sys/bus/usb/drivers/\(name)/unbind"
        }
    }

    /// Programs that open every smart card reader, magnetic stripe reader, or printer they find, with the command that
    /// stops each. A killed pcscd is restarted by its socket, and a killed scdaemon by gpg-agent.
    static let programs = [
        "pcscd": "sudo systemctl stop pcscd.socket pcscd.service",
        "scdaemon": "gpgconf --kill scdaemon",
        "ifdhandler": "sudo systemctl stop openct",
        "fwupd": "sudo systemctl stop fwupd",
    ]
}

/// Finds the other users of a USB device: the drivers bound to its interfaces (sysfs) and the programs that have it
/// open (proc(5)).
///
/// Reading /proc takes a few milliseconds: use it after a device could not be opened or claimed, not before each
/// payment.
public struct USBDeviceOwnerFinder: Sendable {
    /// The driver name of an interface that a program has claimed.
    private static let usbfs = "usbfs"

    private let kernel: KernelDeviceList
    private let processes: String
    private let ownPID: Int32

    /// - Parameter root: the start of the system's file tree, without a trailing slash.
    public init(root: String = "") { self.init(root: root, ownPID: getpid()) }

    init(root: String, ownPID: Int32) {
        kernel = KernelDeviceList(root: root)
        processes = "\(root)/proc"
        self.ownPID = ownPID
    }

    /// Returns the other holders of `device` or one of its interfaces: programs first, by process ID, then kernel
    /// drivers, by interface.
    ///
    /// Includes suspects when a program has claimed an interface and none visibly has the device open: only root can
    /// see the open files of other users' programs.
    ///
    /// `interface` limits the search to one interface; nil stands for all of them.
    public func owners(of device: USBDevice, interface: UInt8? = nil) -> [USBDeviceOwner] {
        let drivers = drivers(of: device).filter { interface == nil || $0.interface == interface }
        let foreign = drivers.filter { $0.name != Self.usbfs }
            .map { USBDeviceOwner.driver(name: $0.name, place: $0.place) }
        let isClaimed = drivers.count > foreign.count
        guard isClaimed || drivers.isEmpty else { return foreign }
        let programs = programs(holding: KernelDeviceList.node(of: device))
        return (isClaimed && programs.seen.isEmpty ? programs.suspects : programs.seen) + foreign
    }

    /// The interfaces of a device that have a driver: the number, the name in sysfs (`1-1.4:1.0`) and the driver's
    /// name, in the order of the numbers. The driver `usbfs` stands for a program.
    public func drivers(of device: USBDevice) -> [(interface: UInt8, place: String, name: String)] {
        let found = (try? kernel.devices())?.first {
            $0.device.bus == device.bus && $0.device.address == device.address
        }
        guard let found, let entries = try? KernelFile.names(in: kernel.directory) else { return [] }
        return entries.compactMap { place -> (interface: UInt8, place: String, name: String)? in
            guard place.hasPrefix("\(found.name):"),
                let link = KernelFile.target(ofLink: "\(kernel.directory)/\(place)/driver"),
                let driver = link.split(separator: "/").last,
                // Two hexadecimal digits (Documentation/ABI/testing/sysfs-bus-usb).
                let number = KernelFile.text("\(kernel.directory)/\(place)/bInterfaceNumber")
                    .flatMap({ UInt8($0, radix: 16) })
            else { return nil }
            return (number, place, String(driver))
        }
        .sorted { $0.interface < $1.interface }
    }

    /// Returns the other programs that have `node` open, and the running programs known to open devices whose open
    /// files are not visible.
    public func programs(holding node: String) -> (seen: [USBDeviceOwner], suspects: [USBDeviceOwner]) {
        let pids = ((try? KernelFile.names(in: processes)) ?? []).compactMap { Int32($0) }.sorted()
        var programs: (seen: [USBDeviceOwner], suspects: [USBDeviceOwner]) = ([], [])
        for pid in pids where pid != ownPID {
            let directory = "\(processes)/\(pid)"
            let name = KernelFile.text("\(directory)/comm")
            if let files = try? KernelFile.names(in: "\(directory)/fd") {
                if files.contains(where: { KernelFile.target(ofLink: "\(directory)/fd/\($0)") == node }) {
                    programs.seen.append(.program(name: name ?? "a program", pid: pid))
                }
            } else if let name, USBDeviceOwner.programs[name] != nil {
                programs.suspects.append(.suspect(name: name, pid: pid))
            }
        }
        return programs
    }
}

/// The udev rules, for devices that are not plugged in (udev(7)).
public struct DeviceRules: Sendable {
    /// The directories of udevd; a file in one hides files of the same name in later ones (udev(7)).
    public static let directories = [
        "/etc/udev/rules.d", "/run/udev/rules.d", "/usr/local/lib/udev/rules.d", "/usr/lib/udev/rules.d",
        "/lib/udev/rules.d",
    ]
    private static let mostBytes = 1 << 20

    private let root: String

    /// - Parameter root: the start of the system's file tree, without a trailing slash.
    public init(root: String = "") { self.root = root }

    /// Returns whether a rule lets users other than root open devices with these numbers. The rule must name both.
    public func giveAway(vendorID: UInt16, productID: UInt16) -> Bool {
        var seen: Set<String> = []
        for directory in Self.directories {
            for name in (try? Files.names(in: root + directory)) ?? [] where name.hasSuffix(".rules") {
                guard seen.insert(name).inserted,
                    let bytes = try? Files.contents("\(root)\(directory)/\(name)", atMost: Self.mostBytes)
                else { continue }
                let rules = String(decoding: bytes, as: UTF8.self).replacing("\\\n", with: " ").split(separator: "\n")
                if rules.contains(where: { Self.gives($0, vendorID, productID) }) { return true }
            }
        }
        return false
    }

    private static func gives(_ rule: Substring, _ vendorID: UInt16, _ productID: UInt16) -> Bool {
        guard rule.first(where: { $0 != " " && $0 != "\t" }) != "#",
            names(vendorID, in: rule, "ATTR{idVendor}"), names(productID, in: rule, "ATTR{idProduct}")
        else { return false }
        return ["GROUP=", "GROUP:=", "MODE=", "MODE:=", "uaccess"].contains { rule.contains($0) }
    }

    /// Returns whether a rule matches this number, alone or among others: `ATTR{idVendor}=="1209|04e6"`.
    private static func names(_ number: UInt16, in rule: Substring, _ key: String) -> Bool {
        guard let start = rule.firstRange(of: key + "==\"") else { return false }
        return rule[start.upperBound...].prefix { $0 != "\"" }.split(separator: "|").contains {
            $0.count == 4 && UInt16($0, radix: 16) == number
        }
    }
}
