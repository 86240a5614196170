import CLibUSB
import Dispatch
import Glibc
import Synchronization

/// A device of this machine, opened through libusb.
///
/// Transfers use libusb's asynchronous interface. Blocking functions of libusb run one after the other on a thread of
/// the device.
final class LibUSBTransport: USBTransport {
    let device: USBDevice
    private let handle: LibUSBHandle
    private let transfers = RunningTransfers()
    private let calls = BlockingCalls(label: "usb-device")

    init(_ device: USBDevice, _ handle: LibUSBHandle) { (self.device, self.handle) = (device, handle) }

    func claim(interface: UInt8) async throws(USBError) {
        try await calls.run { [handle] () throws(USBError) in try handle.claim(interface) }
    }

    func release(interface: UInt8) async throws(USBError) {
        try await calls.run { [handle] () throws(USBError) in try handle.release(interface) }
    }

    func bulkOut(_ bytes: [UInt8], endpoint: UInt8, timeout: Duration) async throws(USBError) {
        try require(endpoint, input: false)
        let transfer = try LibUSBTransfer(
            handle, LIBUSB_TRANSFER_TYPE_BULK, endpoint: endpoint, bytes: bytes, timeout: timeout)
        try await write(transfer, length: bytes.count)
    }

    func bulkIn(endpoint: UInt8, maximumLength: Int, timeout: Duration) async throws(USBError) -> [UInt8] {
        try await read(LIBUSB_TRANSFER_TYPE_BULK, endpoint, maximumLength, timeout)
    }

    func exchange(
        _ bytes: [UInt8], to output: UInt8, writeTimeout: Duration, from input: UInt8, maximumLength: Int,
        readTimeout: Duration
    ) async throws(USBExchangeError) -> [UInt8] {
        let write: LibUSBTransfer
        let read: LibUSBTransfer
        do throws(USBError) {
            try require(output, input: false)
            try require(input, input: true)
            write = try LibUSBTransfer(
                handle, LIBUSB_TRANSFER_TYPE_BULK, endpoint: output, bytes: bytes, timeout: writeTimeout)
            read = try LibUSBTransfer(
                handle, LIBUSB_TRANSFER_TYPE_BULK, endpoint: input, bytes: [], room: maximumLength,
                timeout: readTimeout)
        } catch {
            throw .write(error)
        }
        let exchange = LibUSBExchange(write, length: bytes.count, read)
        guard transfers.add(exchange) else { throw .write(.canceled) }
        defer { transfers.remove(exchange) }
        return read.bytes(try await exchange.run())
    }

    func interruptIn(endpoint: UInt8, maximumLength: Int, timeout: Duration) async throws(USBError) -> [UInt8] {
        try await read(LIBUSB_TRANSFER_TYPE_INTERRUPT, endpoint, maximumLength, timeout)
    }

    func control(_ request: USBControlRequest, timeout: Duration) async throws(USBError) -> [UInt8] {
        guard request.isInput || request.data.count == Int(request.length) else {
            throw .other("a control transfer of \(request.data.count) bytes says that it has \(request.length)")
        }
        let words = [request.value, request.index, request.length].flatMap {
            [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)]
        }
        let setup = [request.requestType, request.request] + words
        let transfer = try LibUSBTransfer(
            handle, LIBUSB_TRANSFER_TYPE_CONTROL, endpoint: 0, bytes: request.isInput ? setup : setup + request.data,
            room: request.isInput ? Int(request.length) : 0, timeout: timeout)
        guard request.isInput else {
            try await write(transfer, length: request.data.count)
            return []
        }
        return transfer.bytes(try await run(transfer), from: setup.count)
    }

    func clearHalt(endpoint: UInt8) async throws(USBError) {
        try await calls.run { [handle] () throws(USBError) in try handle.clearHalt(endpoint) }
    }

    func reset() async throws(USBError) {
        try await calls.run { [handle] () throws(USBError) in try handle.reset() }
    }

    /// Ends every running transfer, releases every interface, and closes the device. Returns when the device is closed.
    /// Can be called more than once and from any task.
    func close() async {
        await transfers.end()
        try? await calls.run { [handle] in handle.close() }
    }

    private func read(
        _ kind: libusb_transfer_type, _ endpoint: UInt8, _ length: Int, _ timeout: Duration
    ) async throws(USBError) -> [UInt8] {
        try require(endpoint, input: true)
        let transfer = try LibUSBTransfer(handle, kind, endpoint: endpoint, bytes: [], room: length, timeout: timeout)
        return transfer.bytes(try await run(transfer))
    }

    private func write(_ transfer: LibUSBTransfer, length: Int) async throws(USBError) {
        let carried = try await run(transfer)
        guard carried == length else { throw USBError(carried: carried, of: length) }
    }

    private func run(_ transfer: LibUSBTransfer) async throws(USBError) -> Int {
        guard transfers.add(transfer) else { throw .canceled }
        defer { transfers.remove(transfer) }
        return try await transfer.run()
    }

    /// libusb uses the direction in the address: a read from an OUT endpoint would write the empty buffer.
    private func require(_ endpoint: UInt8, input: Bool) throws(USBError) {
        guard (endpoint & 0x80 != 0) == input else {
            throw .other("USB endpoint \(String(endpoint, radix: 16)) is not an \(input ? "IN" : "OUT") endpoint")
        }
    }
}

/// An open device and the interfaces claimed on it. Its functions block. It is closed exactly once, at the latest when
/// its last reference is released.
final class LibUSBHandle: Sendable {
    // libusb's functions may be called from any thread; the pointer is valid until `close`, which LibUSBTransport
    // calls after the last transfer.
    nonisolated(unsafe) let pointer: OpaquePointer
    private let file: Int32
    private let context: LibUSBContext
    /// The claimed interfaces, each with whether a kernel driver must get it back. Nil when the device is closed.
    private let claims = Mutex<[UInt8: Bool]?>([:])

    /// - Throws: ``USBError/accessDenied``, ``USBError/notFound``, ``USBError/disconnected``, ``USBError/other(_:)``
    init(opening device: USBDevice, in context: LibUSBContext) throws(USBError) {
        // Passes an open file to libusb, which lists devices only through udevd; a device can be opened without udevd.
        let file = Glibc.open(KernelDeviceList.node(of: device), O_RDWR | O_CLOEXEC)
        guard file >= 0 else { throw USBError(errno: errno) }
        var opened: OpaquePointer?
        let code = libusb_wrap_sys_device(context.pointer, Int(file), &opened)
        guard code == 0, let opened else {
            Glibc.close(file)
            throw USBError(libusb: code)
        }
        (pointer, self.file, self.context) = (opened, file, context)
    }

    deinit { close() }

    var deadlines: TransferDeadlines { context.deadlines }

    /// Claims an interface. Detaches a kernel driver that holds it, but not another program.
    func claim(_ interface: UInt8) throws(USBError) {
        try whileOpen { claims throws(USBError) in
            guard claims[interface] == nil else { return }
            let number = Int32(interface)
            // libusb does not count usbfs, which other programs use, as a driver.
            let hadDriver = libusb_kernel_driver_active(pointer, number) == 1
            if hadDriver {
                let code = libusb_detach_kernel_driver(pointer, number)
                guard code == 0 || code == LIBUSB_ERROR_NOT_FOUND.rawValue else { throw USBError(libusb: code) }
            }
            let code = libusb_claim_interface(pointer, number)
            guard code == 0 else {
                if hadDriver { libusb_attach_kernel_driver(pointer, number) }
                throw USBError(libusb: code)
            }
            claims[interface] = hadDriver
        }
    }

    /// Releases an interface and gives it back to the kernel driver that had it.
    func release(_ interface: UInt8) throws(USBError) {
        try whileOpen { claims throws(USBError) in
            guard let hadDriver = claims.removeValue(forKey: interface) else { throw .notFound }
            let code = giveBack(interface, hadDriver: hadDriver)
            guard code == 0 else { throw USBError(libusb: code) }
        }
    }

    func clearHalt(_ endpoint: UInt8) throws(USBError) {
        try whileOpen { _ throws(USBError) in
            let code = libusb_clear_halt(pointer, endpoint)
            // Some devices stall this request, and libusb has no error code for it.
            if code == LIBUSB_ERROR_OTHER.rawValue {
                throw .other("the USB device refused to clear the halt of endpoint \(String(endpoint, radix: 16))")
            }
            guard code == 0 else { throw USBError(libusb: code) }
        }
    }

    func reset() throws(USBError) {
        try whileOpen { _ throws(USBError) in
            let code = libusb_reset_device(pointer)
            // libusb's code for a device that came back with other descriptors: this handle is no longer usable.
            if code == LIBUSB_ERROR_NOT_FOUND.rawValue { throw .disconnected }
            guard code == 0 else { throw USBError(libusb: code) }
        }
    }

    /// Releases every interface and closes the device. Does nothing when it is closed.
    func close() {
        claims.withLock { claims in
            guard let held = claims else { return }
            claims = nil
            for (interface, hadDriver) in held { _ = giveBack(interface, hadDriver: hadDriver) }
            libusb_close(pointer)
            Glibc.close(file)
        }
    }

    private func giveBack(_ interface: UInt8, hadDriver: Bool) -> Int32 {
        let code = libusb_release_interface(pointer, Int32(interface))
        // Ignores errors: the device may be gone, or another program may have claimed it.
        if hadDriver { libusb_attach_kernel_driver(pointer, Int32(interface)) }
        return code
    }

    private func whileOpen(_ body: (inout [UInt8: Bool]) throws(USBError) -> Void) throws(USBError) {
        try claims.withLock { claims throws(USBError) in
            guard var held = claims else { throw .canceled }
            defer { claims = held }
            try body(&held)
        }
    }
}

/// Runs blocking calls one after the other on a thread outside of Swift's pool.
final class BlockingCalls: Sendable {
    private let queue: DispatchQueue

    init(label: String) { queue = DispatchQueue(label: label) }

    /// Runs `body` after all earlier calls.
    func run<Value: Sendable>(
        _ body: @escaping @Sendable () throws(USBError) -> Value
    ) async throws(USBError) -> Value {
        let result: Result<Value, USBError> = await withCheckedContinuation { continuation in
            start { continuation.resume(returning: Result(catching: body)) }
        }
        return try result.get()
    }

    /// Runs `body` after everything that was asked for before, without waiting for it.
    func start(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }
}
