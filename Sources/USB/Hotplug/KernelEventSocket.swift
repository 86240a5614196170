internal import CLibUSB
internal import Glibc

/// The kernel's own messages about devices (netlink(7), NETLINK_KOBJECT_UEVENT), which come without udevd and without
/// permission.
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

    /// Reads all that is there.
    ///
    /// - Returns: whether anything was about USB.
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

    /// Whether a message is about USB. A message is text lines that end with a zero byte. What it says beyond that
    /// does not matter, nor who sent it: whoever is told looks for himself.
    static func isUSB(_ message: some Sequence<UInt8>) -> Bool {
        message.split(separator: 0).contains { $0.elementsEqual("SUBSYSTEM=usb".utf8) }
    }
}
