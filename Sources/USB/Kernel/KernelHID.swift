/// What the kernel's HID driver shows of an interface that it drives.
public struct KernelHID: Hashable, Sendable {
    /// The report descriptor as the kernel has read it.
    public var reportDescriptor: [UInt8]
    /// The name of the node through which reports can be read beside the kernel's own driver, for example `hidraw0`;
    /// nil when there is none.
    public var node: String?

    public init(reportDescriptor: [UInt8], node: String? = nil) {
        (self.reportDescriptor, self.node) = (reportDescriptor, node)
    }
}
