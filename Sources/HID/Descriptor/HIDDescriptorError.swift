/// Why bytes are no report descriptor.
public struct HIDDescriptorError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Fault: Hashable, Sendable {
        /// More bytes than a report descriptor can have.
        case tooLong(Int)
        /// An item needs more bytes than are left.
        case truncatedItem
        /// Collections in collections in collections, too many of them.
        case collectionsTooDeep
        /// A collection ends that did not begin, or does not end.
        case unbalancedCollection
        /// More is pushed than can be kept, or popped than was pushed.
        case unbalancedStack
        /// A control outside every collection.
        case noCollection
        /// A report has more bytes than one transfer carries.
        case reportTooLong
        /// The number of a report is 0, or more than a byte.
        case reportNumber
    }

    /// Where the item begins, in bytes from the beginning of the descriptor.
    public let offset: Int
    public let fault: Fault

    public init(_ fault: Fault, at offset: Int) { (self.fault, self.offset) = (fault, offset) }

    public var description: String {
        let what =
            switch fault {
            case .tooLong(let count): "\(count) bytes are more than it may have"
            case .truncatedItem: "an item is cut off"
            case .collectionsTooDeep: "collections are nested too deep"
            case .unbalancedCollection: "the ends of its collections do not fit their beginnings"
            case .unbalancedStack: "it pops more than it pushed, or pushes too much"
            case .noCollection: "a control stands outside every collection"
            case .reportTooLong: "a report is longer than a transfer"
            case .reportNumber: "a report has no valid number"
            }
        return "malformed HID report descriptor: byte \(offset): \(what)"
    }
}
