// Made by Scripts/generate from Sources/Networking/Models/Stats/OrderStatsItem.swift: change that, not this.
public import Amounts
public import GRDB

/// What is stored of ``OrderStatsItem``.
public struct OrderStatsItemRecord: ChildObject {
    public static let databaseTableName = "orderStatsItem"
    public static let columnNames = [
        "period",
        "orders",
        "products",
        "coupons",
        "couponDiscount",
        "totalSales",
        "totalTax",
        "totalShipping",
        "totalShippingTax",
        "totalRefund",
        "totalTaxRefund",
        "totalShippingRefund",
        "totalShippingTaxRefund",
        "currency",
        "grossSales",
        "netSales",
        "avgOrderValue",
        "avgProductsPerOrder",
    ]
    public static let statements = RecordStatements(table: databaseTableName, columns: columnNames)

    public var period: String
    public var orders: Int64
    public var products: ExactDecimal
    public var coupons: Int64
    public var couponDiscount: ExactDecimal
    public var totalSales: ExactDecimal
    public var totalTax: ExactDecimal
    public var totalShipping: ExactDecimal
    public var totalShippingTax: ExactDecimal
    public var totalRefund: ExactDecimal
    public var totalTaxRefund: ExactDecimal
    public var totalShippingRefund: ExactDecimal
    public var totalShippingTaxRefund: ExactDecimal
    public var currency: String
    public var grossSales: ExactDecimal
    public var netSales: ExactDecimal
    public var avgOrderValue: ExactDecimal
    public var avgProductsPerOrder: ExactDecimal

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

    public init(row: Row) throws {
        var reader = RowReader(row: row, of: Self.self)
        period = try reader.value("period")
        orders = try reader.value("orders")
        products = try reader.value("products")
        coupons = try reader.value("coupons")
        couponDiscount = try reader.value("couponDiscount")
        totalSales = try reader.value("totalSales")
        totalTax = try reader.value("totalTax")
        totalShipping = try reader.value("totalShipping")
        totalShippingTax = try reader.value("totalShippingTax")
        totalRefund = try reader.value("totalRefund")
        totalTaxRefund = try reader.value("totalTaxRefund")
        totalShippingRefund = try reader.value("totalShippingRefund")
        totalShippingTaxRefund = try reader.value("totalShippingTaxRefund")
        currency = try reader.value("currency")
        grossSales = try reader.value("grossSales")
        netSales = try reader.value("netSales")
        avgOrderValue = try reader.value("avgOrderValue")
        avgProductsPerOrder = try reader.value("avgProductsPerOrder")
    }

    public var columnValues: [(any DatabaseValueConvertible)?] {
        [
            period,
            orders,
            products,
            coupons,
            couponDiscount,
            totalSales,
            totalTax,
            totalShipping,
            totalShippingTax,
            totalRefund,
            totalTaxRefund,
            totalShippingRefund,
            totalShippingTaxRefund,
            currency,
            grossSales,
            netSales,
            avgOrderValue,
            avgProductsPerOrder,
        ]
    }
}
