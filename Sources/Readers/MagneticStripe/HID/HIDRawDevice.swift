import CLinux
import CardSecrets
import Dispatch
import Glibc
import Synchronization
public import USB

/// A HID interface that stays with the kernel's driver, and is read through its hidraw node (Documentation/hid/hidraw).
///
/// Other programs can read the same reports, and so does the kernel, which types what a keyboard sends.
public final class HIDRawDevice: HIDDevice {
    public let reportDescriptor: HIDReportDescriptor
    private let reader: HIDRawReader

    /// The most bytes that the kernel delivers as one report (HID_MAX_BUFFER_SIZE).
    private static let longestReport = 16_384
    /// HID_MAX_DESCRIPTOR_SIZE
    private static let longestDescriptor: Int32 = 4096

    /// Opens the node of an interface.
    ///
    /// - Parameters:
    ///   - device: the device as listed.
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

    /// Takes over an open node, and checks that it still belongs to the device.
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

    /// Takes over a file that returns one report per read.
    init(file: Int32, _ descriptor: HIDReportDescriptor) throws(HIDError) {
        reportDescriptor = descriptor
        reader = try HIDRawReader(file: file, longestReport: HIDRawDevice.longestReport)
    }

    public func nextReport(timeout: Duration) async throws(HIDError) -> [UInt8] {
        try await reader.read(timeout: timeout)
    }

    public func close() async { await reader.close() }

    /// Returns the error for an error number.
    static func error(_ code: Int32) -> HIDError {
        switch code {
        case ENODEV, ENXIO, ENOENT, EIO: .deviceGone
        default: .system(strerror(code).map { String(cString: $0) } ?? "error \(code)")
        }
    }
}

/// Reads from a node on its own thread, which waits in poll() for a report or for the end.
final class HIDRawReader: Sendable {
    private struct State {
        var isClosed = false
        /// The number of the canceled call.
        var canceled: UInt64?
        var lastCall: UInt64 = 0
    }

    private let file: Int32
    /// The event file that ends a wait.
    private let wake: Int32
    private let longestReport: Int
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "hidraw")

    /// - Throws: ``HIDError/system(_:)``; the file is then still the caller's.
    init(file: Int32, longestReport: Int) throws(HIDError) {
        let wake = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        guard wake >= 0 else { throw HIDRawDevice.error(errno) }
        (self.file, self.wake, self.longestReport) = (file, wake, longestReport)
    }

    deinit {
        // A running read holds a reference, so none is running.
        Glibc.close(wake)
        if !state.withLock({ $0.isClosed }) { Glibc.close(file) }
    }

    func read(timeout: Duration) async throws(HIDError) -> [UInt8] {
        let call = state.withLock {
            $0.lastCall += 1
            return $0.lastCall
        }
        let result: Result<[UInt8], HIDError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                queue.async { [self] in
                    continuation.resume(returning: Result { () throws(HIDError) in try report(call, timeout) })
                }
            }
        } onCancel: {
            state.withLock { $0.canceled = call }
            signal()
        }
        return try result.get()
    }

    /// Ends the read in progress, and closes the node.
    func close() async {
        let isFirst = state.withLock { state in
            defer { state.isClosed = true }
            return !state.isClosed
        }
        signal()
        await withCheckedContinuation { continuation in
            queue.async { [file] in
                if isFirst { Glibc.close(file) }
                continuation.resume()
            }
        }
    }

    private func signal() {
        var one: UInt64 = 1
        _ = withUnsafeBytes(of: &one) { Glibc.write(wake, $0.baseAddress, $0.count) }
    }

    /// On the queue's thread.
    private func report(_ call: UInt64, _ timeout: Duration) throws(HIDError) -> [UInt8] {
        let deadline = ContinuousClock.now.advanced(by: timeout)
        while true {
            try requireWanted(call)
            var files = [
                pollfd(fd: file, events: Int16(POLLIN), revents: 0),
                pollfd(fd: wake, events: Int16(POLLIN), revents: 0),
            ]
            let left = ContinuousClock.now.duration(to: deadline)
            guard left > .zero else { throw .timedOut }
            let ready = poll(&files, 2, Self.milliseconds(left))
            if ready < 0, errno != EINTR { throw HIDRawDevice.error(errno) }
            guard ready > 0 else { continue }
            if files[1].revents != 0 {
                var count: UInt64 = 0
                _ = withUnsafeMutableBytes(of: &count) { Glibc.read(wake, $0.baseAddress, $0.count) }
            }
            guard files[0].revents != 0 else { continue }
            try requireWanted(call)
            var report = [UInt8](repeating: 0, count: longestReport)
            let count = Glibc.read(file, &report, report.count)
            if count < 0, errno == EAGAIN || errno == EINTR { continue }
            guard count >= 0 else { throw HIDRawDevice.error(errno) }
            guard count > 0 else { throw .deviceGone }
            // It may hold card data.
            defer { report.wipe() }
            return Array(report.prefix(count))
        }
    }

    private func requireWanted(_ call: UInt64) throws(HIDError) {
        let (isClosed, isCancelled) = state.withLock { ($0.isClosed, $0.canceled == call) }
        if isClosed { throw .closed }
        if isCancelled { throw .canceled }
    }

    /// Rounds up, so that no wait is shorter than requested. A wait beyond the limit of poll() is split.
    private static func milliseconds(_ duration: Duration) -> Int32 {
        let (seconds, attoseconds) = duration.components
        guard seconds < 1_000_000 else { return 1_000_000_000 }
        return Int32(seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}
