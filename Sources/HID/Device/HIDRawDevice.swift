internal import CHIDRaw
internal import Glibc
public import USB

/// A HID interface that stays with the kernel's driver, and is read through its hidraw node (Documentation/hid/hidraw).
///
/// Nobody is kept from reading the same reports: other programs that have opened the node, and the kernel itself, which
/// types what a keyboard sends.
public final class HIDRawDevice: HIDDevice {
    public let reportDescriptor: HIDReportDescriptor
    private let reader: HIDRawReader

    /// The most bytes that the kernel passes on as one report (HID_MAX_BUFFER_SIZE).
    private static let longestReport = 16_384
    /// HID_MAX_DESCRIPTOR_SIZE
    private static let longestDescriptor: Int32 = 4096

    /// Opens the node of an interface.
    ///
    /// - Parameters:
    ///   - device: the device, as it was found.
    ///   - interface: one of the device's ``HIDInterface/all(in:)``.
    /// - Throws: ``HIDError``
    public convenience init(_ device: USBDevice, _ interface: HIDInterface) throws(HIDError) {
        guard let node = interface.kernel?.node else { throw .noNode }
        let file = Glibc.open("/dev/" + node, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else {
            let code = errno
            throw code == EACCES || code == EPERM ? .accessDenied(node: node) : HIDRawDevice.error(code)
        }
        do throws(HIDError) {
            try self.init(file: file, vendorID: device.descriptor.vendorID, productID: device.descriptor.productID)
        } catch {
            Glibc.close(file)
            throw error
        }
    }

    /// Takes over an open node, and makes sure that it is still the device's own.
    private convenience init(file: Int32, vendorID: UInt16, productID: UInt16) throws(HIDError) {
        var info = hidraw_devinfo()
        let code = hidraw_info(file, &info)
        guard code == 0 else { throw HIDRawDevice.error(code) }
        guard UInt16(bitPattern: info.vendor) == vendorID, UInt16(bitPattern: info.product) == productID else {
            throw .deviceGone
        }
        var bytes = [UInt8](repeating: 0, count: Int(HIDRawDevice.longestDescriptor))
        let count = hidraw_report_descriptor_bytes(file, &bytes, HIDRawDevice.longestDescriptor)
        guard count >= 0 else { throw HIDRawDevice.error(-count) }
        let descriptor: HIDReportDescriptor
        do throws(HIDDescriptorError) {
            descriptor = try HIDReportDescriptor(parsing: Array(bytes.prefix(Int(count))))
        } catch {
            throw .descriptor(error)
        }
        try self.init(file: file, descriptor)
    }

    /// Takes over anything that gives a report with each read.
    init(file: Int32, _ descriptor: HIDReportDescriptor) throws(HIDError) {
        reportDescriptor = descriptor
        reader = try HIDRawReader(file: file, longestReport: HIDRawDevice.longestReport)
    }

    public func nextReport(timeout: Duration) async throws(HIDError) -> [UInt8] {
        try await reader.read(timeout: timeout)
    }

    public func close() async { await reader.close() }

    /// What the kernel said.
    static func error(_ code: Int32) -> HIDError {
        switch code {
        case ENODEV, ENXIO, ENOENT, EIO: .deviceGone
        default: .system(strerror(code).map { String(cString: $0) } ?? "error \(code)")
        }
    }
}
