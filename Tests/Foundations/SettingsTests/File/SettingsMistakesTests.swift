import Testing

@testable import Settings

struct SettingsMistakesTests {
    /// Reads a currency, a shop, and rows, and needs a limit in the currency.
    private static func read(_ root: SettingsNode) throws(SettingsError) {
        try root.mapping(allowedKeys: ["currency", "limits", "shop", "rows"])
        let currency = try root.optional("currency")?.choice(of: ["USD": "USD", "EUR": "EUR"]) ?? "USD"
        if let limits = try root.optional("limits"), try limits.optional(currency) == nil {
            throw limits.error("no limit for \(currency)")
        }
        if let shop = try root.optional("shop") {
            try shop.mapping(allowedKeys: ["name", "till"])
            _ = try shop.required("name").text(length: 1...8)
            _ = try shop.optional("till")?.int(in: 1...9)
        }
        for row in try root.optional("rows")?.list(count: 1...3) ?? [] { _ = try row.required("count").int() }
    }

    private func mistakes(_ text: String) throws -> [String] {
        try SettingsDocument(text: text, file: "x.yaml").root.mistakes { root throws(SettingsError) in
            try Self.read(root)
        }.map(\.description)
    }

    @Test func `a right file has no mistakes`() throws {
        #expect(try mistakes("currency: EUR\nlimits: { EUR: 5 }\nshop: { name: Corner }\n").isEmpty)
    }

    @Test func `every mistake is found`() throws {
        #expect(
            try mistakes(
                """
                curency: USD
                shop:
                  nam: Corner
                  name: Corner shop
                  till: 12
                rows:
                  - { count: one }
                  - { count: 2 }
                  - { count: three }

                """)
                == [
                    "x.yaml:1: unknown key 'curency'; did you mean 'currency'?",
                    "x.yaml:3: shop: unknown key 'nam'; did you mean 'name'?",
                    "x.yaml:4: shop.name: expected 1 to 8 characters, found 11",
                    "x.yaml:7: rows[0].count: 'one' is not a number",
                    "x.yaml:9: rows[2].count: 'three' is not a number",
                ])
    }

    @Test func `what only follows from another mistake is not reported`() throws {
        #expect(
            try mistakes("currency: EURO\nlimits: { EUR: 5 }\n").map { String($0.prefix(30)) } == [
                "x.yaml:1: currency: unknown va"
            ])
        #expect(try mistakes("rows: [{ count: x }]\n") == ["x.yaml:1: rows[0].count: 'x' is not a number"])
    }

    @Test func `an error of several values together is reported`() throws {
        #expect(
            try mistakes("limits: { EUR: 5 }\nshop: { name: Corner, till: 12 }\n")
                == ["x.yaml:1: limits: no limit for USD", "x.yaml:2: shop.till: '12' is not in 1...9"])
    }

    @Test func `the search ends with an error that leads nowhere, and at the limit`() throws {
        let root = try SettingsDocument(text: "a: 1\nb: 2\n", file: "x.yaml").root
        let always = root.mistakes { _ throws(SettingsError) in throw root.error("never right") }
        #expect(always.map(\.message) == ["never right"])
        let many = (1...50).map { "k\($0): x" }.joined(separator: "\n")
        let unknown = try SettingsDocument(text: many, file: "x.yaml").root.mistakes(limit: 7) {
            root throws(SettingsError) in try root.mapping(allowedKeys: [])
        }
        #expect(unknown.count == 7)
    }

    @Test func `a card number in a file is not part of an error`() throws {
        let told = try mistakes("4761739001010010: 1\nshop: { name: 4761 7390 0101 0010, till: 4761739001010010 }\n")
        #expect(told.count == 2)
        #expect(!told.joined().contains("4761"), "\(told)")
    }

    private func mistakesWithDuplicates(_ text: String) -> [String] {
        let found: [SettingsError] = SettingsDocument.mistakes(text: text, file: "x.yaml") {
            root throws(SettingsError) in try Self.read(root)
        }
        return found.map(\.description)
    }

    @Test func `duplicate keys are found with the other mistakes`() {
        #expect(
            mistakesWithDuplicates(
                """
                curency: USD
                shop:
                  name: Corner
                  "till": 1
                  name: Corner shop
                  till: 12
                rows: [{ count: one, count: 1 }]
                shop: { name: Corner, till: x }

                """)
                == [
                    "x.yaml:2: duplicate key 'shop'; remove one of them",
                    "x.yaml:3: shop: duplicate key 'name'; remove one of them",
                    "x.yaml:4: shop: duplicate key 'till'; remove one of them",
                    "x.yaml:7: rows[0]: duplicate key 'count'; remove one of them",
                    "x.yaml:1: unknown key 'curency'; did you mean 'currency'?",
                    "x.yaml:8: shop.till: 'x' is not a number",
                ])
        #expect(
            mistakesWithDuplicates("shop:\n  'till': 1\n  name: Corner\n  till: 12\n") == [
                "x.yaml:2: shop: duplicate key 'till'; remove one of them",
                "x.yaml:4: shop.till: '12' is not in 1...9",
            ])
        #expect(mistakesWithDuplicates("currency: USD\nshop: { name: Corner }\n").isEmpty)
    }

    @Test func `a key that stands three times is reported twice`() {
        #expect(
            mistakesWithDuplicates("currency: A\ncurrency: B\ncurrency: USD\n") == [
                "x.yaml:1: duplicate key 'currency'; remove one of them",
                "x.yaml:2: duplicate key 'currency'; remove one of them",
            ])
    }

    @Test func `a key with a private-use character is a key like any other`() throws {
        let text = "\u{E000}k: 1\n"
        let read = try SettingsDocument(text: text, file: "x.yaml").root.entries().map(\.key)
        #expect(read == ["\u{E000}k"])
        #expect(mistakesWithDuplicates(text).count == 1)
        #expect(mistakesWithDuplicates(text + text) == ["x.yaml:1: duplicate key '\u{E000}k'; remove one of them"])
    }

    @Test func `duplicate keys that cannot be left out end the search`() {
        for text in ["&a k: 1\n&a k: 2\n", "!!str k: 1\nk: 2\n", "? |\n  k\n: 1\n? |\n  k\n: 2\n"] {
            #expect(mistakesWithDuplicates(text).count == 1, "\(text)")
        }
        let many = (1...300).map { _ in "currency: USD\n" }.joined()
        #expect(mistakesWithDuplicates(many).count == 101)
    }

    @Test func `the closest names come first, those that contain the text before the others`() {
        let names = ["visa-credit", "mastercard-credit", "amex", "visa-debit", "jcb"]
        #expect(NearestName.closest(2, to: "visa", among: names) == ["visa-debit", "visa-credit"])
        #expect(NearestName.closest(2, to: "amx", among: names) == ["amex", "jcb"])
        #expect(NearestName.closest(9, to: "", among: names).count == 5)
    }
}
