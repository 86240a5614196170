// Made by Scripts/generate from Sources/Networking/Models/Orders/OrderItemTax.swift: change that, not this.
internal import Amounts
internal import Networking

extension OrderItemTax: JSONColumnValue {
    init?(json: JSONValue) {
        guard let id = json.member("id", as: Int64.self),
            let subtotal = json.member("subtotal", as: ExactDecimal?.self),
            let total = json.member("total", as: ExactDecimal?.self)
        else { return nil }
        self.init(id: id, subtotal: subtotal, total: total)
    }

    var json: JSONValue {
        .object([
            JSONValue.Member("id", id.json),
            JSONValue.Member("subtotal", subtotal.json),
            JSONValue.Member("total", total.json),
        ])
    }
}
