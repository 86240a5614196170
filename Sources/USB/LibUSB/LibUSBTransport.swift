internal import CLibUSB

/// A device of this machine, opened through libusb.
///
/// Transfers are libusb's asynchronous ones. The functions of libusb that block run on a thread of the device's own,
/// one after the other.
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
        guard transfers.add(exchange) else { throw .write(.cancelled) }
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

    /// Ends every running transfer, releases every interface and closes the device. Whoever calls it, and however
    /// often: it returns when the device is closed.
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
        guard transfers.add(transfer) else { throw .cancelled }
        defer { transfers.remove(transfer) }
        return try await transfer.run()
    }

    /// libusb goes by the direction in the address: a read from an OUT endpoint would write the empty buffer.
    private func require(_ endpoint: UInt8, input: Bool) throws(USBError) {
        guard (endpoint & 0x80 != 0) == input else {
            throw .other("USB endpoint \(String(endpoint, radix: 16)) is not an \(input ? "IN" : "OUT") endpoint")
        }
    }
}
