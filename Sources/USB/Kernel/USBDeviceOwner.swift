/// Somebody else who works with a USB device.
public enum USBDeviceOwner: Hashable, Sendable, CustomStringConvertible {
    /// A program that has the device's node open.
    case program(name: String, pid: Int32)
    /// A program that is known to take devices, is running, and does not let this user see which files it has open.
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

    /// What to type so that the owner lets the device go. Nobody else's program is ever ended by this library.
    public var remedy: String {
        switch self {
        case .program(let name, let pid), .suspect(let name, let pid):
            Self.programs[name] ?? "kill \(pid)"
        case .driver(let name, let place): "echo \(place) | sudo tee /sys/bus/usb/drivers/\(name)/unbind"
        }
    }

    /// Programs that take smart card readers, magnetic stripe readers and printers whenever they see one, and how each
    /// is made to let go. A killed pcscd is started again by its socket, and a killed scdaemon by gpg-agent.
    static let programs = [
        "pcscd": "sudo systemctl stop pcscd.socket pcscd.service",
        "scdaemon": "gpgconf --kill scdaemon",
        "ifdhandler": "sudo systemctl stop openct",
        "fwupd": "sudo systemctl stop fwupd",
    ]
}
