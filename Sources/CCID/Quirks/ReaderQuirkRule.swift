public import USB

/// One row of the quirk table: which reader, which firmware, what it does, and who says so.
public struct ReaderQuirkRule: Hashable, Sendable {
    /// What people call the reader.
    public var name: String
    /// idVendor
    public var vendorID: UInt16
    /// idProduct
    public var productID: UInt16
    /// The firmware releases that the row is about.
    public var firmware: ClosedRange<ReaderRelease>
    /// At most one of each kind.
    public var quirks: [ReaderQuirk]
    /// Kinds that the reader does not have, whatever an earlier row says.
    public var lifted: Set<ReaderQuirk.Kind>
    /// Faults of the reader that the driver bears with every reader.
    public var borne: Set<BorneFault>
    /// The public document that says so, or the shop's own word.
    public var source: String

    public init(
        _ name: String, vendorID: UInt16, productID: UInt16,
        firmware: ClosedRange<ReaderRelease> = ReaderRelease.all, _ quirks: [ReaderQuirk] = [],
        lifted: Set<ReaderQuirk.Kind> = [], borne: Set<BorneFault> = [], source: String
    ) {
        (self.name, self.vendorID, self.productID, self.firmware) = (name, vendorID, productID, firmware)
        (self.quirks, self.lifted, self.borne, self.source) = (quirks, lifted, borne, source)
    }

    /// Vendor and product, four hexadecimal digits each: `04e6:e001`.
    public var usbID: String { Self.usbID(vendorID, productID) }

    /// Vendor and product, four hexadecimal digits each.
    public static func usbID(_ vendor: UInt16, _ product: UInt16) -> String {
        hexadecimal(vendor) + ":" + hexadecimal(product)
    }

    /// The firmware as people read it: `all`, `5.16`, `below 5.16` or `1.00 to 1.12`.
    public var firmwareText: String {
        let (first, last) = (firmware.lowerBound, firmware.upperBound)
        if first == last { return "\(first)" }
        guard first == .lowest else { return last == .highest ? "from \(first)" : "\(first) to \(last)" }
        return last == .highest ? "all" : "below \(ReaderRelease(rawValue: last.rawValue + 1))"
    }

    /// Whether the row is about this device.
    public func applies(to device: USBDeviceDescriptor) -> Bool {
        vendorID == device.vendorID && productID == device.productID
            && firmware.contains(ReaderRelease(rawValue: device.release))
    }

    private static func hexadecimal(_ number: UInt16) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 4 - digits.count) + digits
    }
}
