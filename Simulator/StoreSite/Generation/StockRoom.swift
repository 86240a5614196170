/// What the store sells, and how it taxes it.
enum StockRoom {
    /// Name, price in hundredths, tax class, and whether nothing is sent.
    static let products: [(name: String, price: Int64, taxClass: String, isVirtual: Bool)] = [
        ("House Blend Coffee Beans, 1 lb", 1695, "reduced-rate", false),
        ("Single Origin Ethiopia Beans, 12 oz", 1950, "reduced-rate", false),
        ("Decaf Beans, 1 lb", 1725, "reduced-rate", false), ("Pour-Over Dripper", 2400, "", false),
        ("Paper Filters, 100 Pack", 899, "", false), ("Gooseneck Kettle", 7950, "", false),
        ("Burr Grinder", 14999, "", false), ("Enamel Mug", 1450, "", false),
        ("Stoneware Cup, Set of 2", 3275, "", false),
        ("French Press, 34 oz", 3999, "", false), ("Cold Brew Pitcher", 2895, "", false),
        ("Milk Frother", 4525, "", false), ("Tamper, 58 mm", 3350, "", false), ("Espresso Scale", 5999, "", false),
        ("Oat Bar, Box of 12", 2160, "zero-rate", false), ("Dark Chocolate, 3 Bars", 1349, "zero-rate", false),
        ("Canvas Tote", 1800, "", false), ("Logo T-Shirt", 2250, "", false), ("Knit Beanie", 1995, "", false),
        ("Brewing Class, Online", 3900, "", true), ("Latte Art Class", 6500, "", true),
        ("Recipe Book, PDF", 999, "", true), ("Cleaning Brush", 725, "", false), ("Descaling Powder", 1149, "", false),
    ]

    /// A bundle of the store, by the places of its parts in ``products``.
    static let bundle: (name: String, price: Int64, parts: [Int]) = ("Pour-Over Starter Kit", 10995, [0, 3, 4])

    static let taxClasses = [
        TaxClass(slug: "standard", name: "Standard rate"), TaxClass(slug: "reduced-rate", name: "Reduced rate"),
        TaxClass(slug: "zero-rate", name: "Zero rate"),
    ]

    static let taxRates: [TaxRate] = {
        func rate(
            _ id: Int64, _ state: String, _ rate: Int64, _ name: String, priority: Int64 = 1, cities: [String] = [],
            shipping: Bool = false, taxClass: String = "standard"
        ) -> TaxRate {
            TaxRate(
                id: id, country: "US", state: state, cities: cities, rate: rate, name: name, priority: priority,
                coversShipping: shipping, order: id, taxClass: taxClass)
        }
        return [
            rate(1, "NY", 40_000, "NY State Tax", shipping: true),
            rate(2, "NY", 48_750, "New York City Tax", priority: 2, cities: ["NEW YORK", "BROOKLYN"], shipping: true),
            rate(3, "CA", 72_500, "CA State Tax"), rate(4, "TX", 62_500, "TX State Tax", shipping: true),
            rate(5, "WA", 65_000, "WA State Tax", shipping: true), rate(6, "IL", 62_500, "IL State Tax"),
            rate(7, "", 0, "Zero Rate", taxClass: "zero-rate"),
            rate(8, "NY", 20_000, "NY Reduced Tax", taxClass: "reduced-rate"),
            rate(9, "IL", 10_000, "IL Reduced Tax", taxClass: "reduced-rate"),
        ]
    }()
}
