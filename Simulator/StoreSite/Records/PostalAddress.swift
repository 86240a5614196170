/// A billing or shipping address as a store keeps it.
struct PostalAddress: Hashable, Sendable {
    var firstName = ""
    var lastName = ""
    var company = ""
    var address1 = ""
    var address2 = ""
    var city = ""
    var state = ""
    var postcode = ""
    var country = ""
    /// Of billing addresses alone.
    var email = ""
    var phone = ""

    var name: String { [firstName, lastName].filter { !$0.isEmpty }.joined(separator: " ") }

    /// Takes over what a request gives, and keeps the rest.
    mutating func change(_ node: JSONNode) {
        func take(_ name: String, _ field: WritableKeyPath<PostalAddress, String>) {
            if let text = node[name]?.plainText { self[keyPath: field] = text }
        }
        take("first_name", \.firstName)
        take("last_name", \.lastName)
        take("company", \.company)
        take("address_1", \.address1)
        take("address_2", \.address2)
        take("city", \.city)
        take("state", \.state)
        take("postcode", \.postcode)
        take("country", \.country)
        take("email", \.email)
        take("phone", \.phone)
    }

    func write(into writer: inout JSONWriter, withEmail: Bool) {
        writer.member("first_name", firstName)
        writer.member("last_name", lastName)
        writer.member("company", company)
        writer.member("address_1", address1)
        writer.member("address_2", address2)
        writer.member("city", city)
        writer.member("state", state)
        writer.member("postcode", postcode)
        writer.member("country", country)
        if withEmail { writer.member("email", email) }
        writer.member("phone", phone)
    }

    func node(withEmail: Bool) -> JSONNode {
        var writer = JSONWriter()
        writer.object { write(into: &$0, withEmail: withEmail) }
        return JSONReader.node(writer.bytes) ?? .null
    }
}
