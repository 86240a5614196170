/// The members of our order in plain structs with unconverted texts, as for a plain `JSONDecoder`.
struct PlainOrder: Decodable {
    struct Address: Decodable {
        let firstName, lastName, company, address1, address2, city, state, postcode, country: String
        let email, phone: String?

        enum CodingKeys: String, CodingKey {
            case company, city, state, postcode, country, email, phone
            case firstName = "first_name"
            case lastName = "last_name"
            case address1 = "address_1"
            case address2 = "address_2"
        }
    }

    struct Tax: Decodable {
        let id: Int64
        let total, subtotal: String
    }

    struct ItemMetaData: Decodable {
        let id: Int64
        let key, value: String
    }

    struct Item: Decodable {
        let id, productID, variationID: Int64
        let quantity, price: Double
        let name, subtotal, subtotalTax, taxClass, total, totalTax: String
        let sku: String?
        let taxes: [Tax]
        let metaData: [ItemMetaData]

        enum CodingKeys: String, CodingKey {
            case id, name, quantity, price, sku, subtotal, taxes, total
            case productID = "product_id"
            case variationID = "variation_id"
            case subtotalTax = "subtotal_tax"
            case taxClass = "tax_class"
            case totalTax = "total_tax"
            case metaData = "meta_data"
        }
    }

    struct TaxLine: Decodable {
        let id, rateID: Int64
        let rateCode, label, taxTotal, shippingTaxTotal: String
        let compound: Bool
        let ratePercent: Double

        enum CodingKeys: String, CodingKey {
            case id, label, compound
            case rateID = "rate_id"
            case rateCode = "rate_code"
            case taxTotal = "tax_total"
            case shippingTaxTotal = "shipping_tax_total"
            case ratePercent = "rate_percent"
        }
    }

    struct ShippingLine: Decodable {
        let id: Int64
        let methodTitle, methodID, total, totalTax: String
        let taxes: [Tax]

        enum CodingKeys: String, CodingKey {
            case id, total, taxes
            case methodTitle = "method_title"
            case methodID = "method_id"
            case totalTax = "total_tax"
        }
    }

    struct Line: Decodable {
        let id: Int64
    }

    /// A value of any shape. A plain decoder only records that it is there.
    struct MetaData: Decodable {
        let id: Int64
        let key: String
    }

    let id, parentID, customerID: Int64
    let orderKey, number, status, currency, currencySymbol, customerNote: String
    let dateCreatedGMT: String
    let dateModifiedGMT, datePaidGMT, dateCompletedGMT: String?
    let discountTotal, discountTax, shippingTotal, shippingTax, total, totalTax: String
    let paymentMethod, paymentMethodTitle, paymentURL, transactionID: String
    let lineItems: [Item]
    let billing, shipping: Address
    let shippingLines: [ShippingLine]
    let taxLines: [TaxLine]
    let couponLines, refunds, feeLines: [Line]
    let metaData: [MetaData]
    let isEditable, needsPayment: Bool

    enum CodingKeys: String, CodingKey {
        case id, number, status, currency, total, billing, shipping, refunds
        case parentID = "parent_id"
        case customerID = "customer_id"
        case orderKey = "order_key"
        case currencySymbol = "currency_symbol"
        case customerNote = "customer_note"
        case dateCreatedGMT = "date_created_gmt"
        case dateModifiedGMT = "date_modified_gmt"
        case datePaidGMT = "date_paid_gmt"
        case dateCompletedGMT = "date_completed_gmt"
        case discountTotal = "discount_total"
        case discountTax = "discount_tax"
        case shippingTotal = "shipping_total"
        case shippingTax = "shipping_tax"
        case totalTax = "total_tax"
        case paymentMethod = "payment_method"
        case paymentMethodTitle = "payment_method_title"
        case paymentURL = "payment_url"
        case transactionID = "transaction_id"
        case lineItems = "line_items"
        case shippingLines = "shipping_lines"
        case taxLines = "tax_lines"
        case couponLines = "coupon_lines"
        case feeLines = "fee_lines"
        case metaData = "meta_data"
        case isEditable = "is_editable"
        case needsPayment = "needs_payment"
    }
}
