/// Orders in the format of a store: about three kilobytes each.
enum SampleOrders {
    /// A list of orders as JSON text.
    static func list(_ count: Int) -> [UInt8] {
        Array(("[" + (1...count).map { order($0) }.joined(separator: ",") + "]").utf8)
    }

    private static func order(_ number: Int) -> String {
        let address = """
            {"first_name":"Ada","last_name":"Müller \(number)","company":"","address_1":"Hauptstraße \(number)","address_2":"",
            "city":"Köln","state":"NW","postcode":"50667","country":"DE","email":"ada\(number)@shop.example","phone":"+49 221 \(number)"}
            """
        let items = (1...3).map { item in
            """
            {"id":\(number * 10 + item),"name":"Cup \\"Blue\\" no. \(item)","product_id":\(item),"variation_id":0,"quantity":\(item),
            "tax_class":"","subtotal":"\(item)2.50","subtotal_tax":"2.38","total":"\(item)2.50","total_tax":"2.38",
            "taxes":[{"id":1,"total":"2.375","subtotal":"2.375"}],"meta_data":[{"id":\(item),"key":"pa_colour","value":"blue",
            "display_key":"Colour","display_value":"Blue"}],"sku":"CUP-\(item)","price":12.5,"bundled_by":"","parent_name":null}
            """
        }
        return """
            {"id":\(number),"parent_id":0,"status":"processing","currency":"EUR","version":"8.4.0","prices_include_tax":false,
            "date_created":"2026-01-02T04:04:05","date_modified":"2026-01-02T04:04:05","discount_total":"0.00","discount_tax":"0.00",
            "shipping_total":"4.90","shipping_tax":"0.93","cart_tax":"14.25","total":"95.08","total_tax":"15.18","customer_id":\(number % 50),
            "order_key":"wc_order_Ab3dEf\(number)","billing":\(address),"shipping":\(address),"payment_method":"cod",
            "payment_method_title":"Cash on delivery","transaction_id":"","customer_ip_address":"203.0.113.7","customer_user_agent":"",
            "created_via":"checkout","customer_note":"Please ring twice.","date_completed":null,"date_paid":"2026-01-02T04:06:05",
            "cart_hash":"9f1c2d3e4b5a69788796a5b4c3d2e1f0","number":"\(number)","meta_data":[{"id":1,"key":"_note","value":"gift"},
            {"id":2,"key":"_data","value":{"a":[1,2,3]}}],"line_items":[\(items.joined(separator: ","))],
            "tax_lines":[{"id":4,"rate_code":"DE-VAT-1","rate_id":1,"label":"VAT","compound":false,"tax_total":"14.25",
            "shipping_tax_total":"0.93","rate_percent":19,"meta_data":[]}],"shipping_lines":[{"id":5,"method_title":"Parcel",
            "method_id":"flat_rate","instance_id":"1","total":"4.90","total_tax":"0.93","taxes":[{"id":1,"total":"0.931","subtotal":""}],
            "meta_data":[]}],"fee_lines":[],"coupon_lines":[],"refunds":[],"payment_url":"https://shop.example/checkout/pay/\(number)",
            "is_editable":false,"needs_payment":false,"needs_processing":true,"date_created_gmt":"2026-01-02T03:04:05",
            "date_modified_gmt":"2026-01-02T03:04:05","date_completed_gmt":null,"date_paid_gmt":"2026-01-02T03:06:05",
            "currency_symbol":"€","_links":{"self":[{"href":"https://shop.example/wp-json/wc/v3/orders/\(number)"}]}}
            """
    }
}
