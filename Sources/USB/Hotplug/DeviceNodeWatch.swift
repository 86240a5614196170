internal import CLibUSB
internal import Glibc

/// The nodes of USB devices as they are made, removed and given away (inotify(7)): what a container sees that the
/// kernel sends no messages to, and the moment at which udevd lets a user open a device.
struct DeviceNodeWatch: DeviceChangeSignal {
    /// Where a directory for each bus holds a node for each device.
    var directory = "/dev/bus/usb"

    func observe(_ notify: @escaping @Sendable () -> Void) -> FileDescriptorWatch? {
        let file = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
        guard file >= 0 else { return nil }
        guard follow(file) else {
            close(file)
            return nil
        }
        return FileDescriptorWatch(file) {
            Self.drain(file)
            // A bus may have come, or the directory itself. Watching what is watched already changes nothing.
            _ = follow(file)
            notify()
        }
    }

    /// Watches the directory and those below it; where there is none yet, its parent.
    ///
    /// - Returns: whether anything is watched.
    private func follow(_ file: Int32) -> Bool {
        var isWatching = false
        var path = directory
        while !path.isEmpty, !isWatching {
            isWatching = add(path, to: file)
            guard let slash = path.lastIndex(of: "/") else { break }
            path = String(path[..<slash])
        }
        for bus in (try? KernelFile.names(in: directory)) ?? [] where add("\(directory)/\(bus)", to: file) {
            isWatching = true
        }
        return isWatching
    }

    private func add(_ path: String, to file: Int32) -> Bool {
        let events = IN_CREATE | IN_DELETE | IN_ATTRIB | IN_MOVED_FROM | IN_MOVED_TO | IN_ONLYDIR
        return inotify_add_watch(file, path, UInt32(events)) >= 0
    }

    /// Reads all that is there: that something happened is enough.
    private static func drain(_ file: Int32) {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(file, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
        }
    }
}
