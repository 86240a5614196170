/// The way to a reader's reports.
public enum MSRPath: String, Hashable, Sendable, CaseIterable {
    /// This program drives the interface itself; the kernel's driver leaves it. A reader that does not type and that the
    /// user may not take from the kernel is read as with ``hidraw``.
    case usb
    /// The kernel's driver keeps the interface, and its hidraw node is read.
    case hidraw
}
