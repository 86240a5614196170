/// What a control or a group of controls is for: a page of the HID usage tables and a number on it.
public struct HIDUsage: Hashable, Sendable, CustomStringConvertible {
    public let page: UInt16
    public let id: UInt16

    public init(page: UInt16, id: UInt16) { (self.page, self.id) = (page, id) }

    /// Four hexadecimal digits each, for example `008e:0021`.
    public var description: String {
        [page, id].map { number in
            let digits = String(number, radix: 16)
            return String(repeating: "0", count: 4 - digits.count) + digits
        }.joined(separator: ":")
    }
}
