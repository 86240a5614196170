/// The layout of a device's reports (HID 1.11 §6.2.2).
public struct HIDReportDescriptor: Hashable, Sendable {
    /// The usages of the outermost collections, in their order.
    public let applications: [HIDUsage]
    /// In the order of their items.
    public let fields: [HIDField]
    /// Whether reports begin with a byte that numbers them.
    public let hasReportIDs: Bool

    /// Reads a report descriptor.
    ///
    /// - Throws: ``HIDDescriptorError``
    public init(parsing bytes: [UInt8]) throws(HIDDescriptorError) {
        var parser = HIDReportDescriptorParser()
        self = try parser.parse(bytes)
    }

    init(applications: [HIDUsage], fields: [HIDField], hasReportIDs: Bool) {
        (self.applications, self.fields, self.hasReportIDs) = (applications, fields, hasReportIDs)
    }

    /// The first input field that has a usage, and where in its report that is, in bits.
    public func input(_ usage: HIDUsage) -> (field: HIDField, bits: Range<Int>)? {
        for field in fields where field.kind == .input && !field.isConstant {
            if let bits = field.bits(of: usage) { return (field, bits) }
        }
        return nil
    }

    /// Bytes of the longest input report, its number included.
    public var longestInputReport: Int {
        fields.lazy.filter { $0.kind == .input }.map { field in
            (field.bitOffset + field.elementSize * field.elementCount + 7) / 8
        }.max() ?? 0
    }
}
