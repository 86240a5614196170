import Text

/// `data`: continents, countries, and currencies. The lists are short.
enum DataEndpoints {
    static let routes: [Route] =
        [Route("GET", "/wc/v3/data", index), Route("GET", "/wc/v3/data/currencies/current", current)]
        + Route.reading("/wc/v3/data/continents", list(continents), get(continents, "location"))
        + Route.reading("/wc/v3/data/countries", list(countries), get(countries, "location"))
        + Route.reading("/wc/v3/data/currencies", list(currencies), get(currencies, "currency"))

    private static func links(_ path: String, _ store: SiteStore) -> JSONValue {
        let parts = path.split(separator: "/")
        return store.identity.links("wc/v3/\(path)", collection: "wc/v3/" + parts.dropLast().joined(separator: "/"))
    }

    private static func index(_ store: inout SiteStore, _ call: Call) throws(SiteError) -> Reply {
        let lists = [
            ("continents", "List of supported continents, countries, and states."),
            ("countries", "List of supported states in a given country."),
            ("currencies", "List of supported currencies."),
        ]
        return Reply(
            .list(
                lists.map { slug, text in
                    ["slug": .text(slug), "description": .text(text), "_links": links("data/\(slug)", store)]
                }))
    }

    /// The elements of a list, and its name.
    private typealias Table = (name: String, elements: [JSONValue])

    private static func list(_ table: Table) -> Route.Handler {
        { store, _ throws(SiteError) in
            let nodes = table.elements.map { element in
                element.joined([
                    .init(name: "_links", value: links("data/\(table.name)/\(code(element))", store))
                ])
            }
            return Reply(.list(nodes))
        }
    }

    private static func get(_ table: Table, _ kind: String) -> Route.Handler {
        { store, call throws(SiteError) in
            let wanted = call.text(0).uppercased()
            guard let element = table.elements.first(where: { code($0).uppercased() == wanted }) else {
                throw SiteError(
                    404, "woocommerce_rest_data_invalid_\(kind)", "There are no \(kind)s matching these parameters.")
            }
            let path = "data/\(table.name)/\(code(element))"
            return Reply(element.joined([.init(name: "_links", value: links(path, store))]))
        }
    }

    private static func code(_ element: JSONValue) -> String { element["code"]?.plainText ?? "" }

    /// Shows the currency of the store.
    private static func current(_ store: inout SiteStore, _ call: Call) throws(SiteError) -> Reply {
        let wanted = store.settingText("general", "woocommerce_currency")
        let known = currencies.elements.first { code($0) == wanted }
        let node = known ?? ["code": .text(wanted), "name": .text(wanted), "symbol": .text(wanted)]
        return Reply(node.joined([.init(name: "_links", value: links("data/currencies/\(wanted)", store))]))
    }

    // MARK: Lists

    private static func place(_ code: String, _ name: String, states: [(String, String)] = []) -> JSONValue {
        [
            "code": .text(code), "name": .text(name),
            "states": .list(states.map { ["code": .text($0.0), "name": .text($0.1)] }),
        ]
    }

    private static let american: [(String, String)] = [
        ("CA", "California"), ("CO", "Colorado"), ("GA", "Georgia"), ("IL", "Illinois"), ("MA", "Massachusetts"),
        ("NY", "New York"), ("OR", "Oregon"), ("TX", "Texas"), ("WA", "Washington"),
    ]

    private static let byContinent: [(code: String, name: String, countries: [JSONValue])] = [
        ("AF", "Africa", [place("KE", "Kenya"), place("ZA", "South Africa")]),
        ("AS", "Asia", [place("JP", "Japan"), place("SG", "Singapore")]),
        (
            "EU", "Europe",
            [
                place("AT", "Austria"), place("CH", "Switzerland"), place("DE", "Germany"), place("ES", "Spain"),
                place("FR", "France"), place("GB", "United Kingdom (UK)"), place("IT", "Italy"),
                place("NL", "Netherlands"),
            ]
        ),
        (
            "NA", "North America",
            [
                place("CA", "Canada", states: [("BC", "British Columbia"), ("ON", "Ontario"), ("QC", "Quebec")]),
                place("MX", "Mexico"), place("US", "United States (US)", states: american),
            ]
        ),
        ("OC", "Oceania", [place("AU", "Australia"), place("NZ", "New Zealand")]),
        ("SA", "South America", [place("AR", "Argentina"), place("BR", "Brazil")]),
    ]

    private static let continents: Table = (
        "continents",
        byContinent.map { ["code": .text($0.code), "name": .text($0.name), "countries": .list($0.countries)] }
    )

    private static let countries: Table = (
        "countries", byContinent.flatMap(\.countries).sorted { code($0) < code($1) }
    )

    private static let currencies: Table = (
        "currencies",
        [
            ("AUD", "Australian dollar", "&#36;"), ("BRL", "Brazilian real", "&#82;&#36;"),
            ("CAD", "Canadian dollar", "&#36;"), ("CHF", "Swiss franc", "&#67;&#72;&#70;"), ("EUR", "Euro", "&euro;"),
            ("GBP", "Pound sterling", "&pound;"), ("JPY", "Japanese yen", "&yen;"), ("KES", "Kenyan shilling", "KSh"),
            ("MXN", "Mexican peso", "&#36;"), ("NZD", "New Zealand dollar", "&#36;"),
            ("SGD", "Singapore dollar", "&#36;"), ("USD", "United States (US) dollar", "&#36;"),
            ("ZAR", "South African rand", "&#82;"),
        ].map { ["code": .text($0.0), "name": .text($0.1), "symbol": .text($0.2)] }
    )
}
