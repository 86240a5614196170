import Text

/// The layout of a device's reports (HID 1.11 §6.2.2).
public struct HIDReportDescriptor: Hashable, Sendable {
    /// The usages of the outermost collections, in order.
    public let applications: [HIDUsage]
    /// The fields in the order of their items.
    public let fields: [HIDField]
    /// Whether reports begin with an ID byte.
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

    /// Returns the first input field with a usage, and the bits of that usage in its report.
    public func input(_ usage: HIDUsage) -> (field: HIDField, bits: Range<Int>)? {
        for field in fields where field.kind == .input && !field.isConstant {
            if let bits = field.bits(of: usage) { return (field, bits) }
        }
        return nil
    }

    /// The length of the longest input report in bytes, its ID included.
    public var longestInputReport: Int {
        fields.lazy.filter { $0.kind == .input }.map { field in
            (field.bitOffset + field.elementSize * field.elementCount + 7) / 8
        }.max() ?? 0
    }
}

/// The controls that one Input, Output, or Feature item declares, side by side in a report.
public struct HIDField: Hashable, Sendable {
    /// The kind of main item that declares the field (HID 1.11 §6.2.2.4).
    public enum Kind: Hashable, Sendable { case input, output, feature }

    /// A range of usages on one page.
    struct UsageRange: Hashable, Sendable {
        let page: UInt16
        let ids: ClosedRange<UInt16>
    }

    public let kind: Kind
    /// The ID of the report; 0 when the device has one report of each kind, without an ID.
    public let reportID: UInt8
    /// The usage of the outermost collection around it.
    public let application: HIDUsage
    /// The offset in the report, in bits. The report ID byte is part of the report.
    public let bitOffset: Int
    /// The number of bits per element.
    public let elementSize: Int
    /// The number of elements.
    public let elementCount: Int
    /// Whether it is padding.
    public let isConstant: Bool
    /// Whether each element is a control; otherwise each element holds an active usage, like the keys of a keyboard.
    public let isVariable: Bool
    public let logicalMinimum: Int32
    public let logicalMaximum: Int32
    let usages: [UsageRange]

    /// Returns the usage of an element; the last usage applies to all further elements (§6.2.2.8). Nil when none is
    /// declared.
    public func usage(of element: Int) -> HIDUsage? {
        var left = element
        for range in usages {
            if left < range.ids.count {
                return HIDUsage(page: range.page, id: range.ids.lowerBound + UInt16(clamping: left))
            }
            left -= range.ids.count
        }
        return usages.last.map { HIDUsage(page: $0.page, id: $0.ids.upperBound) }
    }

    /// Returns the bits of the elements with this usage; nil when there are none. The elements of an array field count
    /// for every usage that they can hold.
    public func bits(of usage: HIDUsage) -> Range<Int>? {
        guard isVariable else {
            let isNamed = usages.contains { $0.page == usage.page && $0.ids.contains(usage.id) }
            return isNamed ? bitOffset..<(bitOffset + elementSize * elementCount) : nil
        }
        var before = 0
        for (place, range) in usages.enumerated() where before < elementCount {
            if range.page == usage.page, range.ids.contains(usage.id) {
                let first = before + Int(usage.id - range.ids.lowerBound)
                guard first < elementCount else { return nil }
                let isLast = place == usages.count - 1 && usage.id == range.ids.upperBound
                let start = bitOffset + first * elementSize
                return start..<(isLast ? bitOffset + elementCount * elementSize : start + elementSize)
            }
            before += range.ids.count
        }
        return nil
    }
}

/// The purpose of a control or a group of controls: a page of the HID usage tables and an ID on it.
public struct HIDUsage: Hashable, Sendable, CustomStringConvertible {
    public let page: UInt16
    public let id: UInt16

    /// Takes the numbers of the HID usage tables.
    public init(page: UInt16, id: UInt16) { (self.page, self.id) = (page, id) }

    /// Four hexadecimal digits each, for example `008e:0021`.
    public var description: String {
        "\(page.lowercaseHexadecimal):\(id.lowercaseHexadecimal)"
    }
}

/// The reason why bytes are not a report descriptor.
public struct HIDDescriptorError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The rule of HID 1.11 §6.2.2 that the bytes break.
    public enum Fault: Hashable, Sendable {
        /// More bytes than a report descriptor can have.
        case tooLong(Int)
        /// An item needs more bytes than are left.
        case truncatedItem
        /// Collections are nested too deep.
        case collectionsTooDeep
        /// A collection has no beginning or no end.
        case unbalancedCollection
        /// Too many Push items, or more Pop than Push items.
        case unbalancedStack
        /// A control is outside every collection.
        case noCollection
        /// A report is longer than one transfer.
        case reportTooLong
        /// A report ID is 0, or does not fit in a byte.
        case reportNumber
    }

    /// The offset of the item in the descriptor, in bytes.
    public let offset: Int
    public let fault: Fault

    /// Takes the fault, and its offset in bytes from the start.
    public init(_ fault: Fault, at offset: Int) { (self.fault, self.offset) = (fault, offset) }

    public var description: String {
        let what =
            switch fault {
            case .tooLong(let count): "\(count) bytes are more than it may have"
            case .truncatedItem: "an item is cut off"
            case .collectionsTooDeep: "collections are nested too deep"
            case .unbalancedCollection: "a collection has no beginning or no end"
            case .unbalancedStack: "too many Push items, or more Pop than Push items"
            case .noCollection: "a control is outside every collection"
            case .reportTooLong: "a report is longer than a transfer"
            case .reportNumber: "a report ID is not valid"
            }
        return "malformed HID report descriptor: byte \(offset): \(what)"
    }
}
