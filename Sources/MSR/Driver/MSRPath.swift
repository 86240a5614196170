/// The way to a reader's reports.
public enum MSRPath: String, Hashable, Sendable, CaseIterable {
    /// This program drives the interface itself; the kernel's driver leaves it.
    case usb
    /// The kernel's driver keeps the interface, and its hidraw node is read.
    case hidraw
}
