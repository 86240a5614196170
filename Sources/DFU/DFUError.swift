public import USB

/// Why firmware was not installed.
public enum DFUError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The device takes no firmware in this way.
    case notSupported
    /// The file is for another device, by its vendor and product.
    case wrongDevice(vendorID: UInt16, productID: UInt16)
    /// A USB transfer failed.
    case usb(USBError)
    /// An answer to GETSTATUS is none.
    case malformedStatus([UInt8])
    /// The device is in a state to which nothing leads from what it was asked.
    case unexpectedState(DFUState)
    /// The device refuses the firmware.
    case refused(DFUFault)
    /// The device is busy without an end.
    case noEnd(DFUState)
    /// The device did not go into update mode.
    case noUpdateMode
    /// The device did not come back to its work.
    case noReturn
    /// The device was unplugged; `progress` is how much of the firmware it had, 0...1.
    case unplugged(progress: Double)
    /// The task was cancelled before anything was changed. The device does its work as before.
    case cancelled

    public var description: String {
        switch self {
        case .notSupported: "the device takes no firmware over USB (DFU)"
        case .wrongDevice(let vendor, let product):
            "the file is for other devices than \(Self.digits(vendor)):\(Self.digits(product))"
        case .usb(let error): error.description
        case .malformedStatus(let bytes): "the device answered \(bytes.count) bytes that are no status"
        case .unexpectedState(let state): "the device is in the state \(state), which was not to be expected"
        case .refused(let fault): "the device refuses the firmware: \(fault)"
        case .noEnd(let state): "the device stays in the state \(state) without an end"
        case .noUpdateMode: "the device did not go into update mode"
        case .noReturn: "the device did not come back after the update"
        case .unplugged(let progress):
            "the device was unplugged when it had \(Int(progress * 100)) percent of the firmware"
        case .cancelled: "the update was cancelled before anything was changed"
        }
    }

    private static func digits(_ number: UInt16) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 4 - digits.count) + digits
    }
}
