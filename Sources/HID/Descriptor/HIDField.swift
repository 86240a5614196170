/// Controls of one kind that stand side by side in a report: what one Input, Output or Feature item declares.
public struct HIDField: Hashable, Sendable {
    public enum Kind: Hashable, Sendable { case input, output, feature }

    /// Usages in a row on one page.
    struct UsageRange: Hashable, Sendable {
        let page: UInt16
        let ids: ClosedRange<UInt16>
    }

    public let kind: Kind
    /// The report that it belongs to; 0 when the device has one report of each kind, without a number.
    public let reportID: UInt8
    /// The usage of the outermost collection that it stands in.
    public let application: HIDUsage
    /// Where it begins in the report, in bits. The byte with the report's number is part of the report.
    public let bitOffset: Int
    /// Bits of one element.
    public let elementSize: Int
    /// Number of elements.
    public let elementCount: Int
    /// Whether it only fills the report up.
    public let isConstant: Bool
    /// Whether each element is a control; else each names one of the usages that is on, as a keyboard's keys are.
    public let isVariable: Bool
    public let logicalMinimum: Int32
    public let logicalMaximum: Int32
    let usages: [UsageRange]

    /// The usage of an element; the last one stands for all that follow (§6.2.2.8). Nil when none is declared.
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

    /// Where the elements with this usage stand, in bits of the report; nil when there are none. Elements of a field
    /// that has no controls of its own count for every usage that they can name.
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
