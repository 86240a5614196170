import Text

/// A value of a form: nested fields are written as `a[b][c]=1`, lists as `a[0]=x` or `a[]=x`.
///
/// Whether `a[0]` is a list or a map with the key `0` is known only where it is read, so both are kept as fields.
enum StripeField: Hashable, Sendable {
    struct Entry: Hashable, Sendable {
        /// Empty for `a[]`.
        let name: String
        let value: StripeField
    }

    case text(String)
    case fields([Entry])
}

/// Reads `application/x-www-form-urlencoded` (URL Standard §5) with nested names, as bodies and queries of till
/// libraries have them. Brackets may be percent-encoded.
struct StripeForm {
    /// Why a form is refused.
    enum Failure: Error, Hashable {
        case tooManyFields
        /// The name of the field.
        case tooDeep(String)
        /// The name is used both for a value and for nested fields.
        case contradiction(String)
        /// The name has two values: one of them would be passed over.
        case repeated(String)
        /// The brackets of the name are not closed.
        case malformedName(String)
    }

    /// More than any library sends.
    static let mostFields = 1000
    static let deepest = 8

    private var text: String?
    private var children: [(name: String, node: StripeForm)] = []

    private init() {}

    /// Returns the fields in the order of their first appearance.
    static func read(_ text: some StringProtocol) throws(Failure) -> [StripeField.Entry] {
        var root = StripeForm()
        var count = 0
        for field in text.split(separator: "&", omittingEmptySubsequences: true) {
            count += 1
            guard count <= mostFields else { throw .tooManyFields }
            let encoded = field.prefix { $0 != "=" }
            let name = PercentEncoding.decode(encoded)
            try root.insert(
                try path(name)[...], PercentEncoding.decode(field.dropFirst(encoded.count + 1)), name)
        }
        guard case .fields(let entries) = root.field else { return [] }
        return entries
    }

    /// The parts of a name: `a[b][]` is `a`, `b`, and an empty one.
    private static func path(_ name: String) throws(Failure) -> [String] {
        let first = name.prefix { $0 != "[" }
        guard !first.isEmpty else { throw .malformedName(name) }
        var (parts, rest) = ([String(first)], name.dropFirst(first.count))
        while !rest.isEmpty {
            guard rest.first == "[", let end = rest.firstIndex(of: "]") else { throw .malformedName(name) }
            let part = rest[rest.index(after: rest.startIndex)..<end]
            guard !part.contains("[") else { throw .malformedName(name) }
            guard parts.count < deepest else { throw .tooDeep(name) }
            parts.append(String(part))
            rest = rest[rest.index(after: end)...]
        }
        return parts
    }

    private mutating func insert(_ path: ArraySlice<String>, _ value: String, _ name: String) throws(Failure) {
        guard let part = path.first else {
            guard children.isEmpty else { throw .contradiction(name) }
            guard text == nil else { throw .repeated(name) }
            text = value
            return
        }
        guard text == nil else { throw .contradiction(name) }
        let rest = path.dropFirst()
        let index: Int
        if let known = place(of: part, before: rest.first) {
            index = known
        } else {
            index = children.count
            children.append((part, StripeForm()))
        }
        try children[index].node.insert(rest, value, name)
    }

    /// The child that a part of a name continues; nil for a new one. `a[][x]=1&a[][y]=2` is one element, and another
    /// `a[][x]` begins the next one.
    private func place(of part: String, before next: String?) -> Int? {
        guard part.isEmpty else { return children.firstIndex { $0.name == part } }
        guard let next, let last = children.last, last.name.isEmpty,
            !last.node.children.contains(where: { $0.name == next })
        else { return nil }
        return children.count - 1
    }

    private var field: StripeField {
        if let text { return .text(text) }
        return .fields(children.map { StripeField.Entry(name: $0.name, value: $0.node.field) })
    }
}
