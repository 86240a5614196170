import EMV
import Money
import Payments
import Settings
import Testing
import TillConfiguration

@Suite("The first configuration of a shop")
struct StarterConfigurationTests {
    private func till(_ starter: StarterConfiguration) throws -> TillConfiguration {
        try TillConfiguration(yaml: starter.yaml, file: "till.yaml")
    }

    @Test func `without answers the till is the one without a file`() throws {
        try StarterConfiguration.standard.check()
        #expect(try till(.standard) == TillConfiguration())
    }

    @Test func `the answers are read back, and the commands are comments`() throws {
        let starter = StarterConfiguration(
            merchantName: #"Corner "Shop" #1: A\B"#, currency: try Currency(code: "EUR"), printer: "receipts-80",
            paymentCommand: "cardpresent pay 12.50 --reader usb",
            loginCommand: "cardpresent login https://shop.example/ --username NAME")
        try starter.check()
        let till = try till(starter)
        #expect(till.merchant.name == starter.merchantName)
        #expect(till.currency.code == "EUR")
        #expect(till.printer == "receipts-80")
        #expect(starter.yaml.contains("\n#   cardpresent pay 12.50 --reader usb\n"))
        #expect(starter.yaml.hasSuffix("\n#   cardpresent login https://shop.example/ --username NAME\n"))
    }

    @Test func `a name in another script needs one for cards and hosts`() throws {
        var starter = StarterConfiguration.standard
        #expect(!starter.needsPlainName)
        starter.merchantName = "Bäckerei Müller"
        #expect(starter.needsPlainName)
        #expect(throws: SettingsError.self) { try starter.check() }
        starter.plainName = "Backerei Muller"
        try starter.check()
        let till = try till(starter)
        #expect(till.merchant.name == "Bäckerei Müller")
        #expect(till.terminal.merchantNameAndLocation == "Backerei Muller")
    }

    @Test(arguments: ["", String(repeating: "x", count: 100), "two\nlines", "\u{1B}[2J"])
    func `a name that a till refuses is refused`(name: String) {
        var starter = StarterConfiguration.standard
        (starter.merchantName, starter.plainName) = (name, "Shop")
        #expect(throws: SettingsError.self) { try starter.check() }
    }

    @Test(arguments: ["\n", "\r\n", "\r", "\u{85}", "\u{2028}", "\u{0}"])
    func `no command breaks out of its comment`(lineBreak: String) throws {
        var starter = StarterConfiguration.standard
        starter.paymentCommand += lineBreak + "currency: EUR"
        starter.loginCommand += lineBreak + "currency: EUR"
        #expect(try till(starter) == TillConfiguration())
    }

    @Test func `its comments are those of the whole configuration`() throws {
        let whole = Set(TillConfiguration().yaml.split(separator: "\n").filter { $0.hasPrefix("# ") })
        let headings = [
            "# The merchant.", "# The terminal and its capabilities.", "# The style and the printer of receipts.",
        ]
        for heading in headings {
            #expect(whole.contains { $0 == heading })
            #expect(StarterConfiguration.standard.yaml.contains("\n\(heading)\n"))
        }
    }
}
