/// A JSON text (RFC 8259), parsed once into a flat list of nodes.
///
/// Numbers keep their digits, so that an amount never becomes a binary fraction. Member names match without regard to
/// underscores and case: `orderKey` finds `order_key`.
public final class JSONDocument: Sendable {
    enum Kind: UInt8, Sendable { case null, false_, true_, number, text, list, object }

    /// A value, or the name of a member, which directly precedes its value.
    struct Node: Sendable {
        let kind: Kind
        /// Whether the text contains escapes and cannot be copied as it is.
        let hasEscapes: Bool
        /// The start of the number or of the text's content, in bytes.
        let start: UInt32
        /// The length of a number or text in bytes, or the count of elements or members.
        var length: UInt32
        /// The index of the node after this value and its contents.
        var next: UInt32
        /// The hash of a member name; see ``NameHash``.
        let nameHash: UInt32
    }

    let bytes: [UInt8]
    /// The nodes. The first one is the whole document; the contents of a value follow it.
    let nodes: [Node]

    /// - Throws: ``JSONSyntaxError``
    public init(_ bytes: [UInt8]) throws(JSONSyntaxError) {
        var parser = JSONParser(bytes)
        nodes = try parser.parse()
        self.bytes = bytes
    }

    static let root = 0

    // MARK: Navigation

    /// Returns the elements of a list.
    func elements(of node: Int) -> [Int] {
        var result: [Int] = []
        result.reserveCapacity(Int(nodes[node].length))
        var index = node + 1
        for _ in 0..<nodes[node].length {
            result.append(index)
            index = Int(nodes[index].next)
        }
        return result
    }

    /// Returns the name nodes of an object's members, in document order.
    func names(of node: Int) -> [Int] {
        var result: [Int] = []
        result.reserveCapacity(Int(nodes[node].length))
        var index = node + 1
        for _ in 0..<nodes[node].length {
            result.append(index)
            index = Int(nodes[index + 1].next)
        }
        return result
    }

    /// Returns the value of a member; nil when the node is not an object or has no such member.
    func member(_ name: String, of node: Int) -> Int? {
        guard nodes[node].kind == .object else { return nil }
        let wanted = NameHash.of(name)
        var similar: Int?
        var index = node + 1
        for _ in 0..<nodes[node].length {
            if nodes[index].nameHash == wanted {
                if text(nodes[index]) == name { return index + 1 }
                if similar == nil, NameHash.isSame(text(nodes[index]), name) { similar = index + 1 }
            }
            index = Int(nodes[index + 1].next)
        }
        return similar
    }

    // MARK: Values

    /// Returns the digits of a number, or the content of a text.
    func text(_ node: Node) -> String {
        let range = Int(node.start)..<Int(node.start) + Int(node.length)
        return node.hasEscapes ? JSONText.unescaped(bytes[range]) : String(decoding: bytes[range], as: UTF8.self)
    }

    /// Returns the bytes of a number, or of a text without escapes.
    func slice(_ node: Node) -> ArraySlice<UInt8> {
        bytes[Int(node.start)..<Int(node.start) + Int(node.length)]
    }

    /// Returns the path of a node from the root: `[3].line_items[0].total`.
    func path(to target: Int) -> String {
        var path = ""
        var node = Self.root
        while node != target {
            switch nodes[node].kind {
            case .list:
                guard
                    let found = elements(of: node).enumerated().first(where: { target < Int(nodes[$0.element].next) })
                else { return path }
                path += "[\(found.offset)]"
                node = found.element
            case .object:
                guard let name = names(of: node).first(where: { target < Int(nodes[$0 + 1].next) }) else { return path }
                path += (path.isEmpty ? "" : ".") + Printable.text(text(nodes[name]), limit: 60)
                if target == name { return path }
                node = name + 1
            default: return path
            }
        }
        return path
    }
}

/// Hashes member names without regard to case and inner underscores: `orderKey`, `order_key` and `order_Key` are equal.
/// A leading underscore counts, because `_links` is not `links`.
enum NameHash {
    /// Returns the FNV-1a hash of the significant bytes.
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
