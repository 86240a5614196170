internal import Glibc

/// Finds out who else works with a USB device, from what Linux tells every user: the drivers bound to its interfaces
/// (sysfs) and the files that programs have open (proc(5)).
///
/// A look at /proc takes a few milliseconds. It is worth them when a device could not be opened or claimed, and not on
/// the way to a card.
public struct USBDeviceOwnerFinder: Sendable {
    /// What the kernel shows as the driver of an interface that a program has claimed.
    private static let usbfs = "usbfs"

    private let kernel: KernelDeviceList
    private let processes: String
    private let ownPID: Int32

    /// - Parameter root: where the system's file tree begins, without a slash at its end.
    public init(root: String = "") { self.init(root: root, ownPID: getpid()) }

    init(root: String, ownPID: Int32) {
        kernel = KernelDeviceList(root: root)
        processes = "\(root)/proc"
        self.ownPID = ownPID
    }

    /// Everybody but this process who holds `device` or one of its interfaces: programs first, by number, then the
    /// kernel's drivers, by interface.
    ///
    /// Suspects are named when a program has claimed an interface and none was seen to have the device open: the files
    /// of another user's programs may only be looked at by root.
    ///
    /// `interface` is the one that is wanted; nil stands for all of them.
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

    /// The programs, this one left out, that have `node` open; and those known to take devices whose open files may
    /// not be looked at.
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
