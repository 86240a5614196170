public import Amounts

// @model
/// What the orders of one period have brought in, from the retired statistics.
public struct OrderStatsItem: Codable, Hashable, Sendable {
    /// As WordPress.com writes it: a day, `2018-W12` for a week.
    public let period: String
    public let orders: Int64
    public let products: ExactDecimal
    public let coupons: Int64
    public let couponDiscount: ExactDecimal
    public let totalSales: ExactDecimal
    public let totalTax: ExactDecimal
    public let totalShipping: ExactDecimal
    public let totalShippingTax: ExactDecimal
    public let totalRefund: ExactDecimal
    public let totalTaxRefund: ExactDecimal
    public let totalShippingRefund: ExactDecimal
    public let totalShippingTaxRefund: ExactDecimal
    /// ISO 4217, three letters.
    public let currency: String
    public let grossSales: ExactDecimal
    public let netSales: ExactDecimal
    public let avgOrderValue: ExactDecimal
    public let avgProductsPerOrder: ExactDecimal

    // Made by Scripts/generate.
    public init(
        period: String,
        orders: Int64,
        products: ExactDecimal,
        coupons: Int64,
        couponDiscount: ExactDecimal,
        totalSales: ExactDecimal,
        totalTax: ExactDecimal,
        totalShipping: ExactDecimal,
        totalShippingTax: ExactDecimal,
        totalRefund: ExactDecimal,
        totalTaxRefund: ExactDecimal,
        totalShippingRefund: ExactDecimal,
        totalShippingTaxRefund: ExactDecimal,
        currency: String,
        grossSales: ExactDecimal,
        netSales: ExactDecimal,
        avgOrderValue: ExactDecimal,
        avgProductsPerOrder: ExactDecimal
    ) {
        self.period = period
        self.orders = orders
        self.products = products
        self.coupons = coupons
        self.couponDiscount = couponDiscount
        self.totalSales = totalSales
        self.totalTax = totalTax
        self.totalShipping = totalShipping
        self.totalShippingTax = totalShippingTax
        self.totalRefund = totalRefund
        self.totalTaxRefund = totalTaxRefund
        self.totalShippingRefund = totalShippingRefund
        self.totalShippingTaxRefund = totalShippingTaxRefund
        self.currency = currency
        self.grossSales = grossSales
        self.netSales = netSales
        self.avgOrderValue = avgOrderValue
        self.avgProductsPerOrder = avgProductsPerOrder
    }
    // End of what was made.
}

extension OrderStatsItem {
    /// - Throws: ``DecodingFailure``
    init(row: StatsTable.Row) throws(DecodingFailure) {
        period = try row.period()
        (orders, coupons) = (try row.integer("orders"), try row.integer("coupons"))
        products = try row.decimal("products")
        couponDiscount = try row.decimal("coupon_discount")
        (totalSales, totalTax) = (try row.decimal("total_sales"), try row.decimal("total_tax"))
        totalShipping = try row.decimal("total_shipping")
        totalShippingTax = try row.decimal("total_shipping_tax")
        (totalRefund, totalTaxRefund) = (try row.decimal("total_refund"), try row.decimal("total_tax_refund"))
        totalShippingRefund = try row.decimal("total_shipping_refund")
        totalShippingTaxRefund = try row.decimal("total_shipping_tax_refund")
        currency = row.text("currency")
        (grossSales, netSales) = (try row.decimal("gross_sales"), try row.decimal("net_sales"))
        avgOrderValue = try row.decimal("avg_order_value")
        avgProductsPerOrder = try row.decimal("avg_products_per_order")
    }
}
