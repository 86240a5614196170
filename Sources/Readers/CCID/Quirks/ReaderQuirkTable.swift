import Text
public import USB

/// Known reader quirks, row by row. The driver consults the table once, when it opens a reader; nothing else in the
/// driver depends on a vendor or a product.
public struct ReaderQuirkTable: Hashable, Sendable {
    /// The rows; of two with the same kind of quirk, the later one counts.
    public var rules: [ReaderQuirkRule]
    /// Opens readers even if their firmware is refused.
    public var allowsRefusedFirmware: Bool

    /// Takes rows; of two with the same kind of quirk, the later one counts.
    public init(rules: [ReaderQuirkRule] = [], allowsRefusedFirmware: Bool = false) {
        (self.rules, self.allowsRefusedFirmware) = (rules, allowsRefusedFirmware)
    }

    /// No rows: every reader is used as its descriptors say.
    public static let none = ReaderQuirkTable()

    /// The rows that come with the driver.
    public static let embedded = ReaderQuirkTable(
        rules: refusedFirmware + slowStart + pinPads + exchange + otherClass + interfaces + emulated)

    /// Returns the rows that apply to a device, in order.
    public func rules(for device: USBDeviceDescriptor) -> [ReaderQuirkRule] {
        // By place, so that only the rows that apply are copied.
        rules.indices.filter { rules[$0].vendorID == device.vendorID && rules[$0].applies(to: device) }
            .map { rules[$0] }
    }

    /// Returns the quirks of a device.
    public func quirks(of device: USBDeviceDescriptor) -> ReaderQuirks {
        var known: [ReaderQuirk.Kind: ReaderQuirk] = [:]
        for rule in rules(for: device) {
            for kind in rule.lifted { known[kind] = nil }
            for quirk in rule.quirks { known[quirk.kind] = quirk }
        }
        if allowsRefusedFirmware { known[.refusedFirmware] = nil }
        return ReaderQuirks(ReaderQuirk.Kind.allCases.compactMap { known[$0] })
    }
}

extension ReaderRelease {
    /// Every release before `release`, which must not be the lowest.
    static func below(_ release: UInt16) -> ClosedRange<ReaderRelease> {
        lowest...ReaderRelease(rawValue: max(release, 1) - 1)
    }

    /// One release.
    static func only(_ release: UInt16) -> ClosedRange<ReaderRelease> {
        ReaderRelease(rawValue: release)...ReaderRelease(rawValue: release)
    }
}

/// One row of the quirk table: reader, firmware, quirks, and source.
public struct ReaderQuirkRule: Hashable, Sendable {
    /// The reader's common name.
    public var name: String
    /// idVendor
    public var vendorID: UInt16
    /// idProduct
    public var productID: UInt16
    /// The firmware releases that the row applies to.
    public var firmware: ClosedRange<ReaderRelease>
    /// At most one of each kind.
    public var quirks: [ReaderQuirk]
    /// Kinds that the reader does not have, whatever an earlier row says.
    public var lifted: Set<ReaderQuirk.Kind>
    /// Faults of the reader that the driver tolerates with every reader.
    public var tolerated: Set<ToleratedFault>
    /// The public document that describes the quirk, or the merchant's own note.
    public var source: String

    /// Describes a row, with at most one quirk of each kind. `source` is the document that describes the defect.
    public init(
        _ name: String, vendorID: UInt16, productID: UInt16,
        firmware: ClosedRange<ReaderRelease> = ReaderRelease.all, _ quirks: [ReaderQuirk] = [],
        lifted: Set<ReaderQuirk.Kind> = [], tolerated: Set<ToleratedFault> = [], source: String
    ) {
        (self.name, self.vendorID, self.productID, self.firmware) = (name, vendorID, productID, firmware)
        (self.quirks, self.lifted, self.tolerated, self.source) = (quirks, lifted, tolerated, source)
    }

    /// Vendor and product, four hexadecimal digits each: `04e6:e001`.
    public var usbID: String { USBIdentifiers(vendor: vendorID, product: productID).description }

    /// The firmware range as text: `all`, `5.16`, `below 5.16` or `1.00 to 1.12`.
    public var firmwareText: String {
        let (first, last) = (firmware.lowerBound, firmware.upperBound)
        if first == last { return "\(first)" }
        guard first == .lowest else { return last == .highest ? "from \(first)" : "\(first) to \(last)" }
        return last == .highest ? "all" : "below \(ReaderRelease(rawValue: last.rawValue + 1))"
    }

    /// Returns whether the row applies to this device.
    public func applies(to device: USBDeviceDescriptor) -> Bool {
        vendorID == device.vendorID && productID == device.productID
            && firmware.contains(ReaderRelease(rawValue: device.release))
    }
}

/// A reader's firmware release, bcdDevice of the device descriptor (USB 2.0 §9.6.1). Written as `5.16` for 0516: the
/// digits are hexadecimal, because vendors do not keep to decimal ones.
public struct ReaderRelease: RawRepresentable, Hashable, Sendable, Comparable, CustomStringConvertible {
    /// bcdDevice
    public let rawValue: UInt16

    /// Takes bcdDevice, four digits in BCD: 0x0516.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    public static let lowest = ReaderRelease(rawValue: 0)
    public static let highest = ReaderRelease(rawValue: 0xFFFF)
    /// Every release.
    public static let all = lowest...highest

    /// Reads `5.16`: one or two hexadecimal digits, a point, two hexadecimal digits. Nil for anything else.
    public init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, (1...2).contains(parts[0].utf8.count), parts[1].utf8.count == 2,
            parts.allSatisfy({ $0.utf8.allSatisfy { UInt8(hexadecimalDigit: $0) != nil } }),
            let major = UInt16(parts[0], radix: 16), let minor = UInt16(parts[1], radix: 16)
        else { return nil }
        rawValue = major << 8 | minor
    }

    public static func < (left: ReaderRelease, right: ReaderRelease) -> Bool { left.rawValue < right.rawValue }

    public var description: String {
        String(rawValue >> 8, radix: 16) + "." + (rawValue & 0xFF).zeroPadded(to: 2, radix: 16)
    }
}
