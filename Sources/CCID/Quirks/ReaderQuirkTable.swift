public import USB

/// What is known of readers, row by row. The driver asks it once, when a reader is opened; nothing else in the driver
/// looks at a vendor or a product.
public struct ReaderQuirkTable: Hashable, Sendable {
    /// The rows; where two speak of the same kind, the later one counts.
    public var rules: [ReaderQuirkRule]
    /// Opens readers whose firmware is refused all the same.
    public var allowsRefusedFirmware: Bool

    public init(rules: [ReaderQuirkRule] = [], allowsRefusedFirmware: Bool = false) {
        (self.rules, self.allowsRefusedFirmware) = (rules, allowsRefusedFirmware)
    }

    /// No row: every reader is what its descriptors say.
    public static let none = ReaderQuirkTable()

    /// The rows that come with the driver.
    public static let embedded = ReaderQuirkTable(
        rules: refusedFirmware + slowStart + pinPads + exchange + otherClass + interfaces + emulated)

    /// The rows about a device, in order.
    public func rules(for device: USBDeviceDescriptor) -> [ReaderQuirkRule] {
        rules.filter { $0.applies(to: device) }
    }

    /// What the driver has to heed with a device.
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
