/// The products and taxes of the store.
enum ProductFixtures {
    /// Name, price in hundredths, tax class, and whether the product is virtual. Names are HTML, as WordPress stores
    /// them.
    static let products: [(name: String, price: Int64, taxClass: String, isVirtual: Bool)] = [
        ("House Blend Coffee Beans, 1 lb", 1695, "reduced-rate", false),
        ("Single Origin Ethiopia Beans, 12 oz", 1950, "reduced-rate", false),
        ("Decaf Beans, 1 lb", 1725, "reduced-rate", false), ("Pour-Over Dripper", 2400, "", false),
        ("Paper Filters, 100 Pack", 899, "", false), ("Gooseneck Kettle", 7950, "", false),
        ("Burr Grinder", 14999, "", false), ("Enamel Mug", 1450, "", false),
        ("Stoneware Cup &lt; 200 ml, Set of 2", 3275, "", false),
        ("French Press, 34 oz", 3999, "", false), ("Cold Brew Pitcher", 2895, "", false),
        ("Milk Frother &#8211; 120&nbsp;V", 4525, "", false), ("Tamper, 58 mm", 3350, "", false),
        ("Espresso Scale", 5999, "", false),
        ("Oat Bar, Box of 12", 2160, "zero-rate", false), ("Dark Chocolate, 3 Bars", 1349, "zero-rate", false),
        ("Canvas Tote &quot;Caf&eacute;&quot;", 1800, "", false), ("<strong>Logo</strong> T-Shirt", 2250, "", false),
        ("Knit Beanie", 1995, "", false),
        ("Brewing Class, Online", 3900, "", true), ("Latte Art Class", 6500, "", true),
        ("Recipe Book, PDF", 999, "", true), ("Cleaning Brush", 725, "", false), ("Descaling Powder", 1149, "", false),
    ]

    /// A bundle of the store, with the indices of its parts in ``products``.
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

/// Names and places of generated customers.
enum People {
    static let firstNames = [
        "Olivia", "Liam", "Emma", "Noah", "Ava", "Mateo", "Sofia", "Elijah", "Mia", "Lucas", "Amara", "Kenji", "Priya",
        "Omar", "Ingrid", "Zoë", "Diego", "Hannah", "Marcus", "Yuki", "Fatima", "Jonas", "Chloé", "Samuel", "Aisha",
        "Peter", "Grace", "Tomás", "Nadia", "Henry", "Leah", "Victor",
    ]

    static let lastNames = [
        "Smith", "Johnson", "Nguyen", "García", "Brown", "Patel", "Müller", "Kim", "Okafor", "Rossi", "O'Neill",
        "Chen", "Silva", "Novak", "Haddad", "Larsen", "Walker", "Tanaka", "Dubois", "Cohen", "Ivanov", "Reyes",
        "Fischer", "Martin", "Sato", "Clark", "Lopez", "Wright", "Adeyemi", "Young",
    ]

    static let companies = [
        "", "", "", "", "", "", "Harbor Studio", "Northside Books", "Blue Door Bakery", "Field & Co.",
    ]

    static let streets = [
        "Main Street", "Oak Avenue", "Market Street", "Elm Street", "Park Place", "2nd Avenue", "Lincoln Road",
        "River Drive", "Mission Street", "Cedar Lane", "W 42nd Street", "Bedford Avenue",
    ]

    static let places: [(city: String, state: String, postcode: Int)] = [
        ("New York", "NY", 10_003), ("Brooklyn", "NY", 11_211), ("Buffalo", "NY", 14_201),
        ("San Francisco", "CA", 94_103), ("Los Angeles", "CA", 90_012), ("Oakland", "CA", 94_607),
        ("Austin", "TX", 78_701), ("Houston", "TX", 77_002), ("Seattle", "WA", 98_101), ("Chicago", "IL", 60_601),
        ("Portland", "OR", 97_201), ("Boston", "MA", 2108), ("Denver", "CO", 80_202), ("Atlanta", "GA", 30_303),
    ]

    static let notes = [
        "Please leave it at the door.", "This is a gift: no invoice, please.", "Ring twice.",
        "Ground for a French press, please.", "Thank you!",
    ]

    static let reviews = [
        ("Exactly what I was looking for.", 5), ("Good, but shipping took a week.", 4), ("My new favorite.", 5),
        ("It arrived with a dent.", 2), ("Solid. Would buy again.", 5), ("Not for me.", 3),
        ("Great value for the price!", 4), ("The color is not as shown.", 3),
    ]
}
