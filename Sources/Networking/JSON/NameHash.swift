/// Names of members without regard to underscores inside and to case: `orderKey`, `order_key` and `order_Key` are one.
/// An underscore in front counts, because `_links` is not `links`.
enum NameHash {
    /// FNV-1a over the bytes that count.
    static func of(_ name: some Sequence<UInt8>) -> UInt32 {
        var hash: UInt32 = 0x811C_9DC5
        var isFirst = true
        for byte in name {
            if byte != UInt8(ascii: "_") || isFirst { hash = (hash ^ UInt32(lowered(byte))) &* 0x0100_0193 }
            isFirst = false
        }
        return hash
    }

    static func of(_ name: String) -> UInt32 { of(name.utf8) }

    static func isSame(_ first: String, _ second: String) -> Bool {
        first.hasPrefix("_") == second.hasPrefix("_")
            && first.utf8.filter { $0 != UInt8(ascii: "_") }.map(lowered)
                == second.utf8.filter { $0 != UInt8(ascii: "_") }.map(lowered)
    }

    private static func lowered(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }
}
