import ArgumentParser
import Money
import Networking
import Yosemite

/// `taxes`
struct TaxesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "taxes", abstract: "List and show tax rates and tax classes.",
        subcommands: [ListTaxRates.self, ListTaxClasses.self, ShowTaxRate.self])
}

/// `taxes list`
struct ListTaxRates: ShopCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List tax rates.",
        discussion: """
            EXAMPLES:
              cardpresent taxes list
              cardpresent taxes list --json

            Requires a connection to the store.
            """)

    @OptionGroup var options: CommonOptions

    func execute(in shop: Shop) async throws {
        var (rates, rejected): ([TaxRate], [DecodingFailure]) = ([], [])
        var wanted = PageRequest(size: PageRequest.largest)
        while true {
            let page: Page<TaxRate> = try await shop.value {
                TaxClassesAction.retrieveTaxRates(siteID: shop.siteID, page: wanted, onCompletion: $0)
            }
            rates += page.elements
            rejected += page.list.rejected
            // Limit the pages, in case the store always announces another one.
            guard page.hasNext, wanted.number < 1000 else { break }
            wanted = wanted.next
        }
        Rejections.tell(rejected)
        try output.write(table: rates, right: [0, 3], whenEmpty: "The store has no tax rates.")
    }
}

/// `taxes classes`
struct ListTaxClasses: ShopCommand {
    static let configuration = CommandConfiguration(
        commandName: "classes", abstract: "List tax classes.",
        discussion: """
            EXAMPLES:
              cardpresent taxes classes

            Requires a connection to the store.
            """)

    @OptionGroup var options: CommonOptions

    func execute(in shop: Shop) async throws {
        let classes = try await shop.elements {
            TaxClassesAction.retrieveTaxClasses(siteID: shop.siteID, onCompletion: $0)
        }
        try output.write(table: classes)
    }
}

/// `taxes show`
struct ShowTaxRate: ShopCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show a tax rate and where it applies.",
        discussion: """
            EXAMPLES:
              cardpresent taxes show 1

            Requires a connection to the store.
            """)

    @Argument(help: "Tax rate ID, as shown by 'taxes list'.")
    var rate: Int64
    @OptionGroup var options: CommonOptions

    func execute(in shop: Shop) async throws {
        let found: TaxRate = try await shop.value {
            TaxClassesAction.retrieveTaxRate(siteID: shop.siteID, taxRateID: rate, onCompletion: $0)
        }
        try output.write(found)
    }
}

extension TaxClass: TableRow {
    var json: JSONObject { ["slug": slug, "name": name] }
    var cells: [String] { [slug, name] }
    static var heads: [String] { ["slug", "name"] }
}

extension TaxRate: CommandResult, TableRow {
    var json: JSONObject {
        [
            // The rate is in percent, exactly as the store writes it.
            "id": id, "name": name, "taxClass": `class`, "rate": rate.description, "country": country,
            "state": state, "postcodes": allPostcodes, "cities": allCities, "priority": priority,
            // Whether the tax applies on top of other taxes, and to shipping.
            "compound": compound, "shipping": shipping,
        ]
    }

    static var heads: [String] { ["id", "name", "class", "rate", "place"] }

    var cells: [String] {
        let place = [country, state].filter { !$0.isEmpty }.joined(separator: " ")
        return [String(id), name, `class`, "\(rate) %", place.nonEmpty ?? "everywhere"]
    }

    var text: String {
        TextTable.text([
            ["id", String(id)], ["name", name], ["class", `class`], ["rate", "\(rate) %"],
            ["country", country.nonEmpty ?? "any"], ["state", state.nonEmpty ?? "any"],
            ["postcodes", allPostcodes.joined(separator: ", ").nonEmpty ?? "any"],
            ["cities", allCities.joined(separator: ", ").nonEmpty ?? "any"],
            ["priority", String(priority)], ["compound", compound ? "yes" : "no"],
            ["shipping", shipping ? "yes" : "no"],
        ])
    }

    private var allPostcodes: [String] { postcodes.isEmpty ? [postcode].filter { !$0.isEmpty } : postcodes }

    private var allCities: [String] { cities.isEmpty ? [city].filter { !$0.isEmpty } : cities }
}
