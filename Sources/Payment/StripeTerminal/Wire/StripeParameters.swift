import Money
import Text

/// The parameters of a call, read with the errors that the protocol has for them.
struct StripeParameters: Hashable, Sendable {
    private let entries: [StripeField.Entry]
    /// The name of the map that they are in, such as `cart`; empty at the top.
    private let place: String

    /// No parameters.
    init() { (entries, place) = ([], "") }

    /// A form of a body or a query.
    init(_ form: String) throws(StripeError) {
        do throws(StripeForm.Failure) { (entries, place) = (try StripeForm.read(form), "") } catch {
            throw StripeError(error)
        }
    }

    private init(_ entries: [StripeField.Entry], in place: String) { (self.entries, self.place) = (entries, place) }

    /// The whole name of a parameter, such as `cart[total]`.
    func path(_ name: String) -> String { place.isEmpty ? name : "\(place)[\(name)]" }

    private func field(_ name: String) -> StripeField? { entries.last { $0.name == name }?.value }

    /// Refuses parameters that a call does not have.
    func check(only names: [String]) throws(StripeError) {
        for entry in entries where !names.contains(entry.name) { throw .unknown(parameter: path(entry.name)) }
    }

    /// A text; nil when it is not there, and for an empty one, which unsets.
    func text(_ name: String, atMost length: Int = 5000) throws(StripeError) -> String? {
        guard let field = field(name) else { return nil }
        guard case .text(let text) = field else {
            throw .invalid(path(name), "Invalid string: give one value, without brackets")
        }
        guard text.unicodeScalars.count <= length else {
            throw .invalid(path(name), "Invalid string: must be at most \(length) characters")
        }
        return text.isEmpty ? nil : text
    }

    /// Whether the parameter is there, with or without a value.
    func has(_ name: String) -> Bool { field(name) != nil }

    func required(_ name: String, atMost length: Int = 5000) throws(StripeError) -> String {
        guard has(name) else { throw .missing(path(name)) }
        guard let text = try text(name, atMost: length) else { throw .empty(path(name)) }
        return text
    }

    /// A whole number without a sign.
    func integer(_ name: String, in range: ClosedRange<Int64>) throws(StripeError) -> Int64? {
        guard let text = try text(name) else {
            if has(name) { throw .empty(path(name)) }
            return nil
        }
        guard let number = Int64(text), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw .noInteger(path(name))
        }
        guard range.contains(number) else {
            throw .invalid(path(name), "This value must be between \(range.lowerBound) and \(range.upperBound)")
        }
        return number
    }

    func flag(_ name: String) throws(StripeError) -> Bool? {
        switch try text(name) {
        case nil: nil
        case "true": true
        case "false": false
        default: throw .invalid(path(name), "Invalid boolean: use true or false")
        }
    }

    func word(_ name: String, _ words: [String]) throws(StripeError) -> String? {
        guard let text = try text(name) else { return nil }
        guard words.contains(text) else {
            throw .invalid(path(name), "Invalid \(name): must be one of \(words.joined(separator: ", "))")
        }
        return text
    }

    /// An amount in minor units.
    func amount(_ name: String) throws(StripeError) -> Int64? {
        guard let text = try text(name) else { return nil }
        guard let number = Int64(text), text.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2D }) else {
            throw .noInteger(path(name))
        }
        guard number >= 1 else {
            throw StripeError(
                code: "parameter_invalid_integer", "This value must be greater than or equal to 1.",
                parameter: path(name), isStored: false)
        }
        guard number <= 99_999_999 else {
            throw StripeError(
                code: "amount_too_large", "Amount must be no more than 99999999.", parameter: path(name))
        }
        return number
    }

    /// A currency, in the lowercase of the protocol or in capitals.
    func currency(_ name: String) throws(StripeError) -> Currency {
        let text = try required(name)
        do throws(MoneyError) { return try Currency(code: text.uppercased()) } catch {
            throw .invalid(path(name), "Invalid currency: use a code of ISO 4217 such as usd")
        }
    }

    /// Nested parameters.
    func map(_ name: String) throws(StripeError) -> StripeParameters? {
        switch field(name) {
        case nil: return nil
        case .fields(let entries): return StripeParameters(entries, in: path(name))
        case .text(let text):
            guard text.isEmpty else { throw .invalid(path(name), "Invalid object") }
            return nil
        }
    }

    /// The elements of a list of texts.
    func texts(_ name: String) throws(StripeError) -> [String]? {
        guard let elements = try elements(name) else { return nil }
        var texts: [String] = []
        for element in elements {
            guard case .text(let text) = element else { throw .invalid(path(name), "Invalid array") }
            texts.append(text)
        }
        return texts
    }

    /// The elements of a list of maps.
    func maps(_ name: String) throws(StripeError) -> [StripeParameters]? {
        guard let elements = try elements(name) else { return nil }
        var maps: [StripeParameters] = []
        for (index, element) in elements.enumerated() {
            guard case .fields(let entries) = element else { throw .invalid(path(name), "Invalid array") }
            maps.append(StripeParameters(entries, in: "\(path(name))[\(index)]"))
        }
        return maps
    }

    private func elements(_ name: String) throws(StripeError) -> [StripeField]? {
        switch field(name) {
        case nil: return nil
        case .text(let text):
            guard text.isEmpty else { throw .invalid(path(name), "Invalid array") }
            return []
        case .fields(let entries):
            var numbered: [(number: Int, value: StripeField)] = []
            for (index, entry) in entries.enumerated() {
                guard let number = entry.name.isEmpty ? index : Int(entry.name), number >= 0 else {
                    throw .invalid(path(name), "Invalid array")
                }
                numbered.append((number, entry.value))
            }
            return numbered.sorted { $0.number < $1.number }.map(\.value)
        }
    }

    /// Lays the metadata of a call over that of an object. An empty value removes a key, and an empty `metadata` all.
    func metadata(over old: [JSONValue.Member] = []) throws(StripeError) -> [JSONValue.Member] {
        guard let field = field("metadata") else { return old }
        guard case .fields(let entries) = field else {
            guard field == .text("") else { throw .invalid("metadata", "Invalid object") }
            return []
        }
        var members = old
        for entry in entries {
            guard case .text(let text) = entry.value else { throw .invalid("metadata", "Metadata values are strings") }
            guard (1...40).contains(entry.name.unicodeScalars.count), text.unicodeScalars.count <= 500 else {
                throw .invalid("metadata", "Metadata keys have at most 40 characters, and values at most 500")
            }
            members.removeAll { $0.name == entry.name && text.isEmpty }
            guard !text.isEmpty else { continue }
            if let index = members.firstIndex(where: { $0.name == entry.name }) {
                members[index].value = .text(text)
            } else {
                members.append(JSONValue.Member(entry.name, .text(text)))
            }
        }
        guard members.count <= 50 else { throw .invalid("metadata", "Metadata has at most 50 keys") }
        return members
    }
}
