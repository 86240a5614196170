/// An open USB device. The only thing that a reader driver touches: libusb is below it in a shop, a
/// simulated device in a test, and nothing above it can tell which.
///
/// Every transfer has a deadline and ends when its task is cancelled. ``close()`` may be called more
/// than once and from any task; the device is closed exactly once, after every running transfer ended.
public protocol USBTransport: Sendable {
    /// The device's descriptors, read when it was opened.
    var device: USBDevice { get }

    /// Claims an interface, detaching a kernel driver that holds it.
    ///
    /// - Throws: ``USBError/busy`` when another process has claimed it.
    func claim(interface: UInt8) async throws(USBError)

    /// Releases an interface and gives it back to the kernel driver that had it.
    func release(interface: UInt8) async throws(USBError)

    /// Writes all of `bytes` to a bulk OUT endpoint.
    func bulkOut(_ bytes: [UInt8], endpoint: UInt8, timeout: Duration) async throws(USBError)

    /// Reads one transfer from a bulk IN endpoint: up to `maximumLength` bytes, ended by a short packet.
    /// Zero bytes are a possible result.
    func bulkIn(endpoint: UInt8, maximumLength: Int, timeout: Duration) async throws(USBError) -> [UInt8]

    /// Writes all of `bytes` to a bulk OUT endpoint and reads one transfer from a bulk IN endpoint, as
    /// ``bulkOut(_:endpoint:timeout:)`` and ``bulkIn(endpoint:maximumLength:timeout:)`` do one after the other. A
    /// transport may make the read ready before the write has ended.
    ///
    /// - Parameters:
    ///   - bytes: what is written.
    ///   - output: the bulk OUT endpoint.
    ///   - writeTimeout: for the write.
    ///   - input: the bulk IN endpoint.
    ///   - maximumLength: of what is read.
    ///   - readTimeout: for the read, from the end of the write on.
    /// - Returns: what was read; zero bytes are a possible result.
    /// - Throws: ``USBExchangeError``
    func exchange(
        _ bytes: [UInt8], to output: UInt8, writeTimeout: Duration, from input: UInt8, maximumLength: Int,
        readTimeout: Duration
    ) async throws(USBExchangeError) -> [UInt8]

    /// Reads one transfer from an interrupt IN endpoint.
    func interruptIn(endpoint: UInt8, maximumLength: Int, timeout: Duration) async throws(USBError) -> [UInt8]

    /// A control transfer. `data` is what an OUT request carries; an IN request returns what came.
    func control(_ request: USBControlRequest, timeout: Duration) async throws(USBError) -> [UInt8]

    /// Clears the halt condition of an endpoint after a stall.
    func clearHalt(endpoint: UInt8) async throws(USBError)

    /// Resets the device. Claims are kept when it comes back with the same descriptors.
    func reset() async throws(USBError)

    /// Ends every running transfer, releases every interface and closes the device.
    func close() async
}

extension USBTransport {
    public func exchange(
        _ bytes: [UInt8], to output: UInt8, writeTimeout: Duration, from input: UInt8, maximumLength: Int,
        readTimeout: Duration
    ) async throws(USBExchangeError) -> [UInt8] {
        do throws(USBError) {
            try await bulkOut(bytes, endpoint: output, timeout: writeTimeout)
        } catch {
            throw .write(error)
        }
        do throws(USBError) {
            return try await bulkIn(endpoint: input, maximumLength: maximumLength, timeout: readTimeout)
        } catch {
            throw .read(error)
        }
    }
}
