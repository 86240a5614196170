/// Reads the items of a report descriptor one after the other (HID 1.11 §6.2.2.4 to §6.2.2.8).
struct HIDReportDescriptorParser {
    /// wDescriptorLength has 16 bits.
    private static let longestDescriptor = 0xFFFF
    private static let deepestCollection = 32
    private static let deepestStack = 32
    /// A report travels in one transfer of up to 65,535 bytes.
    private static let longestReport = 0xFFFF * 8

    /// The global items, valid until changed (§6.2.2.7).
    private struct Globals {
        var usagePage: UInt16 = 0
        var logicalMinimum: Int32 = 0
        var logicalMaximum: Int32 = 0
        var reportSize = 0
        var reportCount = 0
        var reportID: UInt8 = 0
    }

    /// A usage as in its item. One of up to two bytes gets its page from the last Usage Page before the main item
    /// (§6.2.2.8); a longer one includes its page.
    private struct LocalUsage {
        let page: UInt16?
        let id: UInt16

        init(_ item: HIDItem) {
            page = item.data.count > 2 ? UInt16(truncatingIfNeeded: item.unsigned >> 16) : nil
            id = UInt16(truncatingIfNeeded: item.unsigned)
        }
    }

    /// The local items, valid for the next main item (§6.2.2.8).
    private struct Locals {
        /// The first and last usage of each range; a single usage is both.
        var usages: [(first: LocalUsage, last: LocalUsage)] = []
        /// The ends of a range, in any order.
        var minimum: LocalUsage?
        var maximum: LocalUsage?
        /// Whether the item is in a set of alternatives, of which only the first counts.
        var isInSet = false
        var setHasUsage = false
    }

    private struct Report: Hashable {
        let kind: HIDField.Kind
        let id: UInt8
    }

    private var globals = Globals()
    private var stack: [Globals] = []
    private var locals = Locals()
    private var depth = 0
    private var application = HIDUsage(page: 0, id: 0)
    private var applications: [HIDUsage] = []
    private var fields: [HIDField] = []
    private var lengths: [Report: Int] = [:]
    private var hasReportIDs = false

    mutating func parse(_ bytes: [UInt8]) throws(HIDDescriptorError) -> HIDReportDescriptor {
        guard bytes.count <= Self.longestDescriptor else {
            throw HIDDescriptorError(.tooLong(bytes.count), at: 0)
        }
        var offset = 0
        while offset < bytes.count {
            let item = try HIDItem(in: bytes, at: offset)
            try take(item)
            offset = item.end
        }
        guard depth == 0 else { throw HIDDescriptorError(.unbalancedCollection, at: offset) }
        return HIDReportDescriptor(applications: applications, fields: fields, hasReportIDs: hasReportIDs)
    }

    private mutating func take(_ item: HIDItem) throws(HIDDescriptorError) {
        switch item.tag {
        case .input: try addField(.input, item)
        case .output: try addField(.output, item)
        case .feature: try addField(.feature, item)
        case .collection: try beginCollection(item)
        case .endCollection:
            guard depth > 0 else { throw HIDDescriptorError(.unbalancedCollection, at: item.offset) }
            depth -= 1
            locals = Locals()
        case .usagePage: globals.usagePage = UInt16(truncatingIfNeeded: item.unsigned)
        case .logicalMinimum: globals.logicalMinimum = item.signed
        case .logicalMaximum: globals.logicalMaximum = item.signed
        // A size beyond the report is reported when a field uses it.
        case .reportSize: globals.reportSize = Int(min(item.unsigned, UInt32(Self.longestReport + 1)))
        case .reportCount: globals.reportCount = Int(min(item.unsigned, UInt32(Self.longestReport + 1)))
        case .reportID:
            guard (1...255).contains(item.unsigned) else { throw HIDDescriptorError(.reportNumber, at: item.offset) }
            globals.reportID = UInt8(truncatingIfNeeded: item.unsigned)
            hasReportIDs = true
        case .push:
            guard stack.count < Self.deepestStack else { throw HIDDescriptorError(.unbalancedStack, at: item.offset) }
            stack.append(globals)
        case .pop:
            guard let last = stack.popLast() else { throw HIDDescriptorError(.unbalancedStack, at: item.offset) }
            globals = last
        case .usage: add(LocalUsage(item), LocalUsage(item))
        case .usageMinimum:
            locals.minimum = LocalUsage(item)
            addRange()
        case .usageMaximum:
            locals.maximum = LocalUsage(item)
            addRange()
        case .delimiter:
            locals.isInSet = item.unsigned == 1
            locals.setHasUsage = false
        case nil: break
        }
    }

    /// Adds the range once it has both ends.
    private mutating func addRange() {
        guard let minimum = locals.minimum, let maximum = locals.maximum else { return }
        add(minimum, maximum)
        (locals.minimum, locals.maximum) = (nil, nil)
    }

    private mutating func add(_ first: LocalUsage, _ last: LocalUsage) {
        guard !locals.isInSet || !locals.setHasUsage else { return }
        locals.setHasUsage = true
        locals.usages.append((first, last))
    }

    /// The usages of the current main item. Ignores a range that is reversed or spans pages.
    private var usages: [HIDField.UsageRange] {
        locals.usages.compactMap { first, last in
            let page = first.page ?? globals.usagePage
            guard page == last.page ?? globals.usagePage, first.id <= last.id else { return nil }
            return HIDField.UsageRange(page: page, ids: first.id...last.id)
        }
    }

    private mutating func beginCollection(_ item: HIDItem) throws(HIDDescriptorError) {
        guard depth < Self.deepestCollection else { throw HIDDescriptorError(.collectionsTooDeep, at: item.offset) }
        if depth == 0 {
            application =
                usages.first.map { HIDUsage(page: $0.page, id: $0.ids.lowerBound) } ?? HIDUsage(page: 0, id: 0)
            applications.append(application)
        }
        depth += 1
        locals = Locals()
    }

    private mutating func addField(_ kind: HIDField.Kind, _ item: HIDItem) throws(HIDDescriptorError) {
        defer { locals = Locals() }
        guard depth > 0 else { throw HIDDescriptorError(.noCollection, at: item.offset) }
        let report = Report(kind: kind, id: globals.reportID)
        let start = lengths[report] ?? (globals.reportID == 0 ? 0 : 8)
        let (length, isTooLong) = globals.reportSize.multipliedReportingOverflow(by: globals.reportCount)
        guard !isTooLong, length <= Self.longestReport - start else {
            throw HIDDescriptorError(.reportTooLong, at: item.offset)
        }
        lengths[report] = start + length
        fields.append(
            HIDField(
                kind: kind, reportID: globals.reportID, application: application, bitOffset: start,
                elementSize: globals.reportSize, elementCount: globals.reportCount,
                isConstant: item.unsigned & 0x01 != 0, isVariable: item.unsigned & 0x02 != 0,
                logicalMinimum: globals.logicalMinimum, logicalMaximum: globals.logicalMaximum,
                usages: usages))
    }
}

/// An item of a report descriptor (HID 1.11 §6.2.2.2).
struct HIDItem {
    /// bType and bTag together, the upper six bits of a short item's first byte.
    enum Tag: UInt8 {
        case input = 0x80
        case output = 0x90
        case feature = 0xB0
        case collection = 0xA0
        case endCollection = 0xC0
        case usagePage = 0x04
        case logicalMinimum = 0x14
        case logicalMaximum = 0x24
        case reportSize = 0x74
        case reportID = 0x84
        case reportCount = 0x94
        case push = 0xA4
        case pop = 0xB4
        case usage = 0x08
        case usageMinimum = 0x18
        case usageMaximum = 0x28
        case delimiter = 0xA8
    }

    /// The offset in the descriptor.
    let offset: Int
    /// nil for an item that does not affect the layout of reports.
    let tag: Tag?
    /// Up to four bytes.
    let data: [UInt8]
    /// The offset after the item.
    let end: Int

    private static let longItem: UInt8 = 0xFE

    /// Reads the item at `offset`, which is within `bytes`.
    ///
    /// - Throws: ``HIDDescriptorError``
    init(in bytes: [UInt8], at offset: Int) throws(HIDDescriptorError) {
        self.offset = offset
        let prefix = bytes[offset]
        if prefix == Self.longItem {
            // No long items are defined (§6.2.2.3): only the length matters.
            guard offset + 2 < bytes.count, offset + 3 + Int(bytes[offset + 1]) <= bytes.count else {
                throw HIDDescriptorError(.truncatedItem, at: offset)
            }
            (tag, data, end) = (nil, [], offset + 3 + Int(bytes[offset + 1]))
            return
        }
        let size = prefix & 0x03 == 3 ? 4 : Int(prefix & 0x03)
        guard offset + 1 + size <= bytes.count else { throw HIDDescriptorError(.truncatedItem, at: offset) }
        tag = Tag(rawValue: prefix & 0xFC)
        data = Array(bytes[(offset + 1)..<(offset + 1 + size)])
        end = offset + 1 + size
    }

    /// The data as an unsigned number, low byte first.
    var unsigned: UInt32 { data.reversed().reduce(0) { $0 << 8 | UInt32($1) } }

    /// The data as a signed number, low byte first.
    var signed: Int32 {
        switch data.count {
        case 0: 0
        case 1: Int32(Int8(truncatingIfNeeded: unsigned))
        case 2: Int32(Int16(truncatingIfNeeded: unsigned))
        default: Int32(truncatingIfNeeded: unsigned)
        }
    }
}
