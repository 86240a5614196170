/// Names and places that customers are made of.
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
