import CLibUSB
import Dispatch
import Glibc
import Synchronization

/// A signal that a USB device may have been plugged in, changed, or unplugged.
protocol DeviceChangeSignal: Sendable {
    /// Starts calling `notify`, on any thread and possibly without a reason.
    ///
    /// - Returns: the watch, which continues until it is canceled; nil when this machine does not support the signal.
    func observe(_ notify: @escaping @Sendable () -> Void) -> FileDescriptorWatch?
}

/// The kernel's messages about devices (netlink(7), NETLINK_KOBJECT_UEVENT), which need neither udevd nor permission.
struct KernelEventSocket: DeviceChangeSignal {
    /// The kernel's messages; group 2 is udevd's.
    private static let kernelGroup: UInt32 = 1
    /// No message of the kernel is longer (UEVENT_BUFFER_SIZE in its sources).
    private static let longestMessage = 2048

    func observe(_ notify: @escaping @Sendable () -> Void) -> FileDescriptorWatch? {
        let file = socket(
            AF_NETLINK, Int32(SOCK_RAW.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue),
            NETLINK_KOBJECT_UEVENT)
        guard file >= 0 else { return nil }
        var address = sockaddr_nl()
        address.nl_family = sa_family_t(AF_NETLINK)
        address.nl_groups = Self.kernelGroup
        let isBound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(file, $0, socklen_t(MemoryLayout<sockaddr_nl>.size)) == 0
            }
        }
        guard isBound else {
            close(file)
            return nil
        }
        return FileDescriptorWatch(file) { if Self.drain(file) { notify() } }
    }

    /// Reads all available messages.
    ///
    /// - Returns: whether any message was about USB.
    private static func drain(_ file: Int32) -> Bool {
        var isAboutUSB = false
        var message = [UInt8](repeating: 0, count: longestMessage)
        while true {
            let count = recv(file, &message, message.count, 0)
            if count < 0, errno == EINTR { continue }
            // More came than there was room for: something was lost, whatever it was.
            if count < 0, errno == ENOBUFS {
                isAboutUSB = true
                continue
            }
            guard count > 0 else { return isAboutUSB }
            if isUSB(message.prefix(count)) { isAboutUSB = true }
        }
    }

    /// Returns whether a message is about USB. A message is lines of text that end with a zero byte. Its further
    /// content and its sender do not matter: the receiver reads the device list itself.
    static func isUSB(_ message: some Sequence<UInt8>) -> Bool {
        message.split(separator: 0).contains { $0.elementsEqual("SUBSYSTEM=usb".utf8) }
    }
}

/// Watches the nodes of USB devices (inotify(7)). It works in containers, which get no kernel messages, and it signals
/// when udevd grants permission to open a device.
struct DeviceNodeWatch: DeviceChangeSignal {
    /// The directory with one directory per bus, with one node per device.
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

    /// Reads and drops all available events: their content does not matter.
    private static func drain(_ file: Int32) {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(file, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
        }
    }
}

/// Calls back when a file descriptor, which it owns, becomes readable. No thread waits meanwhile.
final class FileDescriptorWatch: Sendable {
    private let source: Mutex<(any DispatchSourceRead)?>

    /// - Parameters:
    ///   - descriptor: closed when the watch is canceled or released.
    ///   - body: reads the available data. It must not block.
    init(_ descriptor: Int32, onReadable body: @escaping @Sendable () -> Void) {
        let source = DispatchSource.makeReadSource(
            fileDescriptor: descriptor, queue: DispatchQueue(label: "usb-hotplug"))
        source.setEventHandler { @Sendable in body() }
        source.setCancelHandler { @Sendable in _ = Glibc.close(descriptor) }
        source.resume()
        self.source = Mutex(source)
    }

    deinit { cancel() }

    /// Ends the watch. May be called more than once.
    func cancel() { source.withLock { $0.take() }?.cancel() }
}
