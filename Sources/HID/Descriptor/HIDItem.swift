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

    /// Where it begins in the descriptor.
    let offset: Int
    /// nil for an item that says nothing about the layout of reports.
    let tag: Tag?
    /// Up to four bytes.
    let data: [UInt8]
    /// The place behind it.
    let end: Int

    private static let longItem: UInt8 = 0xFE

    /// Reads the item at `offset`, which is within `bytes`.
    ///
    /// - Throws: ``HIDDescriptorError``
    init(in bytes: [UInt8], at offset: Int) throws(HIDDescriptorError) {
        self.offset = offset
        let prefix = bytes[offset]
        if prefix == Self.longItem {
            // None is defined (§6.2.2.3): its length is all that counts.
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

    /// The data as a number without a sign, low byte first.
    var unsigned: UInt32 { data.reversed().reduce(0) { $0 << 8 | UInt32($1) } }

    /// The data as a number whose highest bit is its sign.
    var signed: Int32 {
        switch data.count {
        case 0: 0
        case 1: Int32(Int8(truncatingIfNeeded: unsigned))
        case 2: Int32(Int16(truncatingIfNeeded: unsigned))
        default: Int32(truncatingIfNeeded: unsigned)
        }
    }
}
