public import USB

/// A HID interface that this program drives itself: the kernel's driver is detached, so nothing that the device sends
/// reaches a terminal or a window.
public final class USBHIDDevice: HIDDevice {
    public let interface: HIDInterface
    public let reportDescriptor: HIDReportDescriptor
    private let transport: any USBTransport
    private let longestReport: Int

    /// The timeout of a request.
    private static let requestTimeout = Duration.seconds(2)

    /// Claims the interface and reads its report descriptor.
    ///
    /// - Parameters:
    ///   - device: one of the bus's devices.
    ///   - interface: one of the device's ``HIDInterface/all(in:)``.
    ///   - bus: the bus of the device.
    /// - Returns: the device, ready to be read from.
    /// - Throws: ``HIDError``
    public static func open(
        _ device: USBDevice, _ interface: HIDInterface, on bus: any USBBus
    ) async throws(HIDError) -> USBHIDDevice {
        let (transport, bytes) = try await claim(device, interface, on: bus)
        do throws(HIDError) {
            return try await start(transport, interface, bytes)
        } catch {
            await transport.close()
            throw error
        }
    }

    /// Requests the report descriptor of a device, which is claimed meanwhile.
    ///
    /// - Parameters:
    ///   - device: one of the bus's devices.
    ///   - interface: one of the device's ``HIDInterface/all(in:)``.
    ///   - bus: the bus of the device.
    /// - Returns: the unchecked bytes.
    /// - Throws: ``HIDError``
    public static func reportDescriptor(
        of device: USBDevice, _ interface: HIDInterface, on bus: any USBBus
    ) async throws(HIDError) -> [UInt8] {
        let (transport, bytes) = try await claim(device, interface, on: bus)
        await transport.close()
        return bytes
    }

    private static func claim(
        _ device: USBDevice, _ interface: HIDInterface, on bus: any USBBus
    ) async throws(HIDError) -> (transport: any USBTransport, reportDescriptor: [UInt8]) {
        let transport: any USBTransport
        do throws(USBError) {
            transport = try await bus.open(device)
        } catch {
            throw HIDError(error)
        }
        do throws(USBError) {
            try await transport.claim(interface: interface.number)
            let request = HIDRequests(interface).reportDescriptor
            return (transport, try await transport.control(request, timeout: requestTimeout))
        } catch {
            await transport.close()
            throw HIDError(error)
        }
    }

    private static func start(
        _ transport: any USBTransport, _ interface: HIDInterface, _ bytes: [UInt8]
    ) async throws(HIDError) -> USBHIDDevice {
        let requests = HIDRequests(interface)
        let descriptor: HIDReportDescriptor
        do throws(HIDDescriptorError) {
            descriptor = try HIDReportDescriptor(parsing: bytes)
        } catch {
            throw .descriptor(error)
        }
        // Request reports only on changes. Devices that work so anyway may refuse the request.
        _ = try? await transport.control(requests.setIdle, timeout: requestTimeout)
        if interface.isBootKeyboard {
            _ = try? await transport.control(requests.setBootProtocol, timeout: requestTimeout)
        }
        return USBHIDDevice(transport, interface, descriptor)
    }

    private init(_ transport: any USBTransport, _ interface: HIDInterface, _ descriptor: HIDReportDescriptor) {
        (self.transport, self.interface, reportDescriptor) = (transport, interface, descriptor)
        // Whole packets, or a report could end where the transfer does not.
        let packet = max(1, Int(interface.input.maximumPacketSize))
        longestReport = (max(1, descriptor.longestInputReport) + packet - 1) / packet * packet
    }

    public func nextReport(timeout: Duration) async throws(HIDError) -> [UInt8] {
        do throws(USBError) {
            return try await transport.interruptIn(
                endpoint: interface.input.address, maximumLength: longestReport, timeout: timeout)
        } catch {
            if error == .stalled { try? await transport.clearHalt(endpoint: interface.input.address) }
            throw HIDError(error)
        }
    }

    public func close() async { await transport.close() }
}

/// The HID class requests that the driver needs (HID 1.11 §7.1 and §7.2).
struct HIDRequests {
    private let interface: UInt16
    private let reportDescriptorLength: UInt16

    init(_ interface: HIDInterface) {
        self.interface = UInt16(interface.number)
        reportDescriptorLength = interface.reportDescriptorLength
    }

    /// GET_DESCRIPTOR for the report descriptor, sent to the interface (§7.1.1).
    var reportDescriptor: USBControlRequest {
        .input(
            type: 0x01, request: 0x06, value: UInt16(HIDInterface.reportDescriptor) << 8, index: interface,
            length: reportDescriptorLength)
    }

    /// SET_IDLE for all reports, without a time limit (§7.2.4).
    var setIdle: USBControlRequest { .output(type: 0x21, request: 0x0A, value: 0, index: interface, data: []) }

    /// SET_PROTOCOL to the fixed layout of boot devices (§7.2.6).
    var setBootProtocol: USBControlRequest { .output(type: 0x21, request: 0x0B, value: 0, index: interface, data: []) }
}
