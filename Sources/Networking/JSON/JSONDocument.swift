/// A JSON text (RFC 8259), read once into a flat list of values.
///
/// Numbers stay as they are written, so that an amount is never a binary fraction. Names of members are found without
/// regard to underscores and case: `orderKey` finds `order_key`.
public final class JSONDocument: Sendable {
    enum Kind: UInt8, Sendable { case null, false_, true_, number, text, list, object }

    /// A value, or the name of a member, which is a text right before its value.
    struct Node: Sendable {
        let kind: Kind
        /// Whether the text has escapes and must be read, not copied.
        let hasEscapes: Bool
        /// Where the number or the content of the text begins, in bytes.
        let start: UInt32
        /// Bytes of the number or text; elements of the list; members of the object.
        var length: UInt32
        /// The node after this value and everything in it.
        var next: UInt32
        /// Of a name: see ``NameHash``.
        let nameHash: UInt32
    }

    let bytes: [UInt8]
    /// The first one is the whole text; what is in a value follows it.
    let nodes: [Node]

    /// - Throws: ``JSONSyntaxError``
    public init(_ bytes: [UInt8]) throws(JSONSyntaxError) {
        var parser = JSONParser(bytes)
        nodes = try parser.parse()
        self.bytes = bytes
    }

    static let root = 0

    // MARK: Walking

    /// The elements of a list.
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

    /// The members of an object: the nodes of their names, in the order of the text.
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

    /// The value of an object's member, nil when the node is no object or has no such member.
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

    /// A number as it is written, or the content of a text.
    func text(_ node: Node) -> String {
        let range = Int(node.start)..<Int(node.start) + Int(node.length)
        return node.hasEscapes ? JSONText.unescaped(bytes[range]) : String(decoding: bytes[range], as: UTF8.self)
    }

    /// The bytes of a number, or of a text without escapes.
    func slice(_ node: Node) -> ArraySlice<UInt8> {
        bytes[Int(node.start)..<Int(node.start) + Int(node.length)]
    }

    /// Where a node is, from the root: `[3].line_items[0].total`.
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
