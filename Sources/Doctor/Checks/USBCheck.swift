internal import USB

/// Whether there is a USB at all.
public struct USBCheck: Check {
    private let files: SystemFiles
    private let kernel: KernelDeviceList
    private let isRunning: Bool

    /// - Parameters:
    ///   - root: where the system's file tree begins.
    ///   - isRunning: whether the system runs; the file tree of another one may have no kernel's files.
    public init(root: String = "", isRunning: Bool = true) {
        (files, kernel) = (SystemFiles(root: root), KernelDeviceList(root: root))
        self.isRunning = isRunning
    }

    public var name: CheckName { .usb }

    public func findings() async -> [Finding] {
        guard files.exists("/sys/bus/usb") else {
            guard isRunning else { return [.skipped("the system does not run: it has no USB now")] }
            return [
                .problem(
                    .reader, "no USB in this kernel: /sys/bus/usb is not there",
                    cause: "a virtual machine or a container without USB, or a kernel built without it",
                    fix: "give the machine a USB controller, or use --reader simulated")
            ]
        }
        let count: Int
        do throws(USBError) { count = try kernel.devices().count } catch {
            return [
                .problem(.reader, "the list of USB devices cannot be read: \(error)", fix: "ls -l /sys/bus/usb/devices")
            ]
        }
        guard files.exists("/dev/bus/usb") else {
            return [
                .problem(
                    .reader, "the kernel has USB, and there are no device nodes: /dev/bus/usb is not there",
                    cause: "a container without the host's devices, or a system without devtmpfs",
                    fix: "start the container with --device /dev/bus/usb, or mount devtmpfs on /dev")
            ]
        }
        return [.ok(count == 1 ? "1 device" : "\(count) devices")]
    }
}
