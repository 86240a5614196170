internal import Determinism
internal import Networking

/// A customer with an account, as JSON and for people.
struct CustomerAccountView: Encodable, Sendable {
    var id: Int64
    @Nullable var name: String? = nil
    @Nullable var username: String? = nil
    var email: String
    @Nullable var role: String? = nil
    var hasPaid: Bool
    @Nullable var createdAt: String? = nil
    @Nullable var billing: AddressView? = nil
    @Nullable var shipping: AddressView? = nil

    init(_ customer: Customer) {
        (id, username, email) = (customer.id, customer.username, customer.email)
        let words = [customer.firstName, customer.lastName].compactMap(\.self).filter { !$0.isEmpty }
        name = words.isEmpty ? nil : words.joined(separator: " ")
        (role, hasPaid) = (customer.role, customer.isPayingCustomer)
        createdAt = customer.dateCreatedGMT?.description
        (billing, shipping) = (AddressView(customer.billing), AddressView(customer.shipping))
    }

    var text: String {
        var text = "\(id)  \((name ?? username ?? "").harmless)\n"
        func add(_ name: String, _ value: String?) {
            if let value, !value.isEmpty { text += "  " + name.padded(to: 14) + value.harmless + "\n" }
        }
        add("e-mail", email)
        add("user name", username)
        add("role", role)
        add("since", createdAt)
        add("has paid", hasPaid ? "yes" : "no")
        add("billed to", billing?.text)
        add("sent to", shipping?.text)
        return text
    }
}
