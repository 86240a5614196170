internal import Networking

/// An address as JSON and for people. What is not known is left out.
struct AddressView: Encodable, Sendable {
    var name: String?
    var company: String?
    var address1: String?
    var address2: String?
    var postcode: String?
    var city: String?
    var state: String?
    var country: String?
    var email: String?
    var phone: String?

    /// Nil when nothing is known.
    init?(_ address: Address?) {
        guard let address else { return nil }
        func known(_ text: String?) -> String? { text.flatMap { $0.isEmpty ? nil : $0 } }
        name = known([address.firstName, address.lastName].filter { !$0.isEmpty }.joined(separator: " "))
        (company, address1, address2) = (known(address.company), known(address.address1), known(address.address2))
        (postcode, city, state) = (known(address.postcode), known(address.city), known(address.state))
        (country, email, phone) = (known(address.country), known(address.email), known(address.phone))
        guard !parts.isEmpty else { return nil }
    }

    private var parts: [String] {
        [
            name, company, address1, address2,
            [postcode, city].compactMap(\.self).joined(separator: " "), state, country, email, phone,
        ].compactMap(\.self).filter { !$0.isEmpty }
    }

    /// On one line.
    var text: String { parts.joined(separator: ", ").harmless }
}
