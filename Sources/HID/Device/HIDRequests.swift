internal import USB

/// The requests of the HID class that a host needs (HID 1.11 §7.1 and §7.2).
struct HIDRequests {
    private let interface: UInt16
    private let reportDescriptorLength: UInt16

    init(_ interface: HIDInterface) {
        self.interface = UInt16(interface.number)
        reportDescriptorLength = interface.reportDescriptorLength
    }

    /// GET_DESCRIPTOR for the report descriptor, asked of the interface (§7.1.1).
    var reportDescriptor: USBControlRequest {
        .input(
            type: 0x01, request: 0x06, value: UInt16(HIDInterface.reportDescriptor) << 8, index: interface,
            length: reportDescriptorLength)
    }

    /// SET_IDLE for all reports, with no end (§7.2.4).
    var setIdle: USBControlRequest { .output(type: 0x21, request: 0x0A, value: 0, index: interface, data: []) }

    /// SET_PROTOCOL to the fixed layout of boot devices (§7.2.6).
    var setBootProtocol: USBControlRequest { .output(type: 0x21, request: 0x0B, value: 0, index: interface, data: []) }
}
