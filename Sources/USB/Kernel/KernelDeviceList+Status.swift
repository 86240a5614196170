internal import Glibc

extension KernelDeviceList {
    /// What the kernel tells of a device that is or was plugged in.
    func status(of device: USBDevice) -> USBDeviceStatus {
        let path = device.port.map { "\(directory)/\($0)" }
        let isPresent =
            path.map {
                number("\($0)/busnum") == Int(device.bus) && number("\($0)/devnum") == Int(device.address)
            }
            ?? ((try? devices())?.contains { $0.device.bus == device.bus && $0.device.address == device.address }
                ?? false)
        var status = USBDeviceStatus(
            isPresent: isPresent,
            overcurrents: device.port.flatMap(Self.portDirectory).flatMap {
                number("\(directory)/\($0)/over_current_count")
            })
        guard isPresent, let path else { return status }
        status.isAuthorized = number("\(path)/authorized").map { $0 != 0 }
        status.power = power("\(path)/power")
        status.group = Self.groupName(mayOpen: Self.node(of: device))
        return status
    }

    /// The name, or else the number, of the group that may read and write a file.
    static func groupName(mayOpen path: String) -> String? {
        var found = stat()
        guard stat(path, &found) == 0, found.st_mode & 0o060 == 0o060 else { return nil }
        var (entry, result) = (group(), UnsafeMutablePointer<group>?.none)
        var buffer = [CChar](repeating: 0, count: 4096)
        guard getgrgid_r(found.st_gid, &entry, &buffer, buffer.count, &result) == 0, result != nil,
            let name = entry.gr_name
        else { return String(found.st_gid) }
        return String(cString: name)
    }

    private func power(_ path: String) -> USBPower? {
        guard let control = KernelFile.text("\(path)/control").flatMap(USBPower.Control.init) else { return nil }
        let delay = number("\(path)/autosuspend_delay_ms")
        return USBPower(
            control: control, state: KernelFile.text("\(path)/runtime_status").flatMap(USBPower.State.init),
            autosuspendDelay: delay.map { .milliseconds($0) },
            wakesHost: KernelFile.text("\(path)/wakeup").map { $0 == "enabled" },
            persists: number("\(path)/persist").map { $0 != 0 })
    }

    private func number(_ path: String) -> Int? { KernelFile.text(path).flatMap { Int($0) } }

    /// The directory of a hub's port, below that of the hub: `usb1/1-0:1.0/usb1-port4` for port `1-4`,
    /// `1-4/1-4:1.0/1-4-port2` for `1-4.2`.
    static func portDirectory(_ port: String) -> String? {
        if let dot = port.lastIndex(of: ".") {
            let hub = port[..<dot]
            return "\(hub)/\(hub):1.0/\(hub)-port\(port[port.index(after: dot)...])"
        }
        let parts = port.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else { return nil }
        return "usb\(parts[0])/\(parts[0])-0:1.0/usb\(parts[0])-port\(parts[1])"
    }
}
