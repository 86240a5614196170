/// Orders and notes as a site writes them.
enum OrderJSON {
    /// `modified`: nil writes null.
    /// `more`: members that replace or follow the others, by name, as JSON.
    static func order(
        _ id: Int64, status: String = "pending", total: String = "\"10.00\"",
        modified: String? = "2026-02-01T10:00:00", more: [String: String] = [:]
    ) -> String {
        var members = [
            "id": "\(id)", "number": "\"\(id)\"", "status": "\"\(status)\"", "currency": "\"USD\"",
            "customer_id": "0", "order_key": "\"wc_order_\(id)\"", "customer_note": "\"\"",
            "date_created_gmt": "\"2026-02-01T09:00:00\"",
            "date_modified_gmt": modified.map { "\"\($0)\"" } ?? "null", "date_paid_gmt": "null",
            "date_completed_gmt": "null", "discount_total": "\"0.00\"", "discount_tax": "\"0.00\"",
            "shipping_total": "\"0.00\"", "shipping_tax": "\"0.00\"", "total": total, "total_tax": "\"0.00\"",
            "payment_method": "\"\"", "payment_method_title": "\"\"", "line_items": "[]", "shipping_lines": "[]",
            "coupon_lines": "[]", "refunds": "[]", "fee_lines": "[]", "tax_lines": "[]", "meta_data": "[]",
        ]
        members.merge(more) { $1 }
        return "{" + members.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}"
    }

    /// A line of goods.
    static func item(_ id: Int64, product: Int64, quantity: Int = 1, more: String = "") -> String {
        """
        {"id":\(id),"name":"Tea","product_id":\(product),"variation_id":0,"quantity":\(quantity),"price":5,\
        "subtotal":"5.00","subtotal_tax":"0.00","total":"5.00","total_tax":"0.00","tax_class":"","taxes":[],\
        "meta_data":[]\(more)}
        """
    }

    static func fee(_ id: Int64, _ name: String, total: String) -> String {
        """
        {"id":\(id),"name":"\(name)","tax_class":"","tax_status":"none","total":"\(total)","total_tax":"0.00","taxes":[]}
        """
    }

    static func note(
        _ id: Int64, _ text: String, customer: Bool = false, at: String = "2026-03-01T12:00:00"
    ) -> String {
        """
        {"id":\(id),"note":"\(text)","customer_note":\(customer),"author":"anna","date_created_gmt":"\(at)"}
        """
    }
}
