import Determinism
import EMV
import Foundation
import Hardware
import MagneticStripe
import Money
import Payments
import Printing
import Settings
import Testing
import TillConfiguration

/// The repository's `docs` directory.
let documentation = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../docs").standardized

@Suite("The till's configuration")
struct TillConfigurationTests {
    static func read(_ yaml: String) throws -> TillConfiguration {
        try TillConfiguration(yaml: yaml, file: "till.yaml")
    }

    static func example() throws -> TillConfiguration {
        try TillConfiguration.load(path: examplePath)
    }

    private static let examplePath = documentation.appending(path: "examples/till.yaml").path

    @Test func `the way of paying orders is what the store offers, or as configured`() throws {
        #expect(TillConfiguration.standard.orderPayment == nil)
        #expect(try Self.read("order: { payment: gateway }").orderPayment == .gateway)
        let till = try Self.read("order:\n  payment: till")
        #expect(till.orderPayment == .till)
        #expect(try Self.read(till.yaml) == till)
        #expect(throws: SettingsError.self) { try Self.read("order: { payment: none }") }
        #expect(throws: SettingsError.self) { try Self.read("order: { pay: till }") }
    }

    @Test func `without a file the till is an attended US terminal that sends every payment online`() throws {
        let till = TillConfiguration.standard
        #expect(till.terminal == .standard)
        #expect(till.terminal.type.rawValue == 0x22)
        #expect(till.terminal.capabilities.description == "20F8C8")
        #expect(till.terminal.additionalCapabilities.description == "7000B0F111")
        #expect(till.terminal.applications == TerminalApplication.standard)
        #expect(till.currency.code == "USD")
        #expect(till.maximumAmounts.isEmpty)
        #expect(till.merchant == Merchant(name: "CardPresent", merchantID: "000000000000001", terminalID: "00000001"))
        #expect((till.receiptWidth, till.printer, till.host) == (40, nil, .simulated))
        try till.check(Money(minorUnits: Money.maximumMinorUnits, currency: .usDollar))
    }

    @Test func `an unattended terminal asks for no signature, unless its capabilities say so`() throws {
        for (type, capabilities) in [("22", "20F8C8"), ("24", "20D8C8"), ("25", "20D8C8"), ("36", "20D8C8")] {
            let till = try Self.read("terminal: { type: \(type) }")
            #expect(till.terminal.capabilities.description == capabilities, "\(type)")
            #expect(try Self.read(till.yaml) == till)
        }
        let chosen = try Self.read("terminal: { type: 25, capabilities: [contactChip, signature] }")
        #expect(chosen.terminal.capabilities.contains(.signature))
    }

    @Test func `every standard application declines a card on the exception file`() {
        for application in TerminalApplication.standard {
            #expect(application.actionCodes.denial.contains(.cardOnExceptionFile), "\(application.aid)")
        }
    }

    @Test func `every standard application has a name`() {
        for application in TerminalApplication.standard {
            #expect(TillConfiguration.standard.applicationNames[application.aid] != nil)
        }
    }

    @Test func `a file with one key keeps the other defaults`() throws {
        let till = try Self.read("receipt: { width: 32 }")
        #expect(till.receiptWidth == 32)
        #expect(till.terminal == TerminalConfiguration.standard)
        #expect(till.merchant == TillConfiguration.standard.merchant)
        #expect(try Self.read("receipt:\nmerchant:\nterminal:\napplications:\ncurrency: USD") == .standard)
    }

    @Test func `receipt printers have an address, or describe a queue`() throws {
        let till = try Self.read(
            """
            printers:
              - { name: kitchen, address: "socket://192.0.2.7", family: star, columns: 48, status: false }
              - { name: bar, address: "socket://[2001:db8::7]:9101" }
              - { name: counter, columns: 32 }
            """)
        #expect(
            till.printers == [
                ReceiptPrinter(
                    name: "kitchen",
                    connection: .network(PrinterAddress(host: "192.0.2.7", port: 9100), answers: false),
                    family: .star, columns: 48),
                ReceiptPrinter(
                    name: "bar", connection: .network(PrinterAddress(host: "2001:db8::7", port: 9101), answers: true),
                    family: .epson, columns: 42),
                ReceiptPrinter(name: "counter", connection: .queue, family: .epson, columns: 32),
            ])
        #expect(try Self.read(till.yaml) == till)
    }

    /// `Frozen` has the example of version 0.1.0, which must not change.
    @Test func `a configuration of version 0.1.0 means what it meant`() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Frozen/till.yaml")
        let text = try String(contentsOf: file, encoding: .utf8)
        #expect(try TillConfiguration.load(path: file.path).orderPayment == nil)
        // Today's example differs in the two things that it got since, and is in another folder.
        let changed = text.replacing("denial: 0010000000", with: "denial: 1010000000") + "\norder: { payment: till }\n"
        #expect(try TillConfiguration(yaml: changed, file: Self.examplePath) == Self.example())
    }

    @Test func `the complete example sets every value`() throws {
        let till = try Self.example()
        #expect(till.merchant.name == "Café am Markt")
        #expect(till.merchant.lines == ["Marktplatz 1", "79539 Lörrach"])
        #expect(till.merchant.merchantID == "276000000012345")
        #expect(till.merchant.terminalID == "KASSE001")
        #expect(till.currency.code == "EUR")
        #expect(till.maximumAmounts.map(\.description) == ["500.00 EUR", "500.00 CHF"])
        #expect((till.receiptWidth, till.printer, till.host) == (48, "counter", .simulated))
        #expect(till.printers.map(\.name) == ["kitchen", "counter"])

        let terminal = till.terminal
        #expect(terminal.merchantNameAndLocation == "Cafe am Markt, Marktplatz 1, 79539 Loerrach")
        #expect(terminal.merchantIdentifier == "276000000012345")
        #expect(terminal.merchantCategory == 5814)
        #expect(terminal.terminalIdentification == "KASSE001")
        #expect(terminal.interfaceDeviceSerial == "SN000042")
        #expect(terminal.country == 276)
        #expect(terminal.acquirer == 45_678_901)
        #expect(terminal.capabilities == TerminalConfiguration.standardCapabilities)
        #expect(terminal.additionalCapabilities == TerminalConfiguration.standardAdditionalCapabilities)
        #expect(terminal.pinPolicy == PINPolicy(allowsBypass: false, readerSeconds: 60))
        #expect(till.pinPadScheme == .tdes)
        #expect(terminal.offersApplicationChoice)
        #expect(till.magneticStripe.chipFailures == 2)
        #expect(till.magneticStripe.readers.last?.vendorID == 0x0ACD)

        #expect(terminal.applications.count == TerminalApplication.standard.count + 1)
        let standard = try #require(TerminalApplication.standard.first { $0.aid == [0xA0, 0, 0, 0, 4, 0x10, 0x10] })
        let mastercard = try #require(terminal.applications.first { $0.aid == standard.aid })
        #expect(mastercard.floorLimit == 2500)
        #expect(
            mastercard.randomSelection
                == (try RandomSelection(threshold: 1000, targetPercentage: 20, maximumPercentage: 60)))
        #expect(mastercard.actionCodes == standard.actionCodes)
        #expect(mastercard.versions == standard.versions)
        let girocard = try #require(terminal.applications.last)
        #expect(till.applicationNames[girocard.aid] == "girocard")
        #expect(girocard.versions == [2, 1])
        #expect(girocard.actionCodes.denial.description == "1010000000")
        #expect(girocard.actionCodes.online.description == "DC4004F800")
        #expect(girocard.actionCodes.default.description == "DC4000A800")
        #expect(girocard.defaultTDOL?.entries.count == 6)

        let keys = terminal.certificationAuthorityKeys
        #expect(keys.map(\.index) == [0x1C, 0x1C, 0x1C])
        #expect(keys.map { $0.rid[4] } == [0x25, 0x03, 0x04])
        #expect(keys.map(\.expiry?.year) == [2035, nil, 2035])
    }

    @Test func `PIN entry and encipherment can be configured`() throws {
        let till = try Self.read(
            """
            terminal:
              pin: { entry: reader, readerRefusal: bypasses, readerSeconds: 20, scheme: aes }
            """)
        #expect(
            till.terminal.pinPolicy == PINPolicy(entry: .reader, readerRefusal: .bypasses, readerSeconds: 20))
        #expect(till.pinPadScheme == .aes)
        // What a reader cannot do is not claimed.
        #expect(till.terminal.capabilities.description == "20A8C8")
        #expect(till.terminal(for: try Currency(code: "EUR")).capabilities.description == "20A8C8")
        #expect(try Self.read(till.yaml).terminal == till.terminal)
        #expect(try Self.read(till.yaml).pinPadScheme == .aes)
    }

    // EMV Book 4 §10.2: each application of the terminal has action codes and rules of selection of its own
    @Test func `a list of applications replaces the standard list`() throws {
        let till = try Self.read(
            """
            applications:
              - aid: A0 00 00 00 04 10 10
                partialSelection: false
                velocityCheck: false
                actionCodes: { denial: 0400000000 }
              - aid: a0000000031010
            """)
        let applications = till.terminal.applications
        #expect(applications.count == 2)
        let standard = TerminalApplication.standard.first { $0.aid == applications[0].aid }
        #expect(!applications[0].allowsPartialSelection && !applications[0].checksVelocity)
        #expect(applications[0].actionCodes.denial.description == "0400000000")
        #expect(applications[0].actionCodes.online == standard?.actionCodes.online)
        #expect(TerminalApplication.standard.contains(applications[1]))
        #expect(till.applicationNames.count == 2)
    }

    @Test func `floor limits and thresholds are amounts of the till's currency`() throws {
        func floorLimit(_ currency: String, _ amount: String) throws -> UInt32? {
            try Self.read("currency: \(currency)\napplications: [{ aid: A0000000031010, floorLimit: \(amount) }]")
                .terminal.applications.first?.floorLimit
        }
        #expect(try floorLimit("EUR", "12.5") == 1250)
        #expect(try floorLimit("JPY", "5000") == 5000)
        #expect(try floorLimit("kwd", "1.234") == 1234)
        #expect(try floorLimit("USD", "42949672.95") == .max)
    }

    @Test func `a payment in another currency has floor limits of zero`() throws {
        let till = try Self.example()
        #expect(till.terminal(for: try Currency(code: "EUR")) == till.terminal)
        let other = till.terminal(for: try Currency(code: "CHF"))
        #expect(other.applications.map(\.aid) == till.terminal.applications.map(\.aid))
        #expect(other.applications.allSatisfy { $0.floorLimit == 0 && $0.randomSelection == .never })
        #expect(other.applications.map(\.actionCodes) == till.terminal.applications.map(\.actionCodes))
        #expect(other.applications.last?.defaultTDOL == till.terminal.applications.last?.defaultTDOL)
        #expect(other.merchantIdentifier == till.terminal.merchantIdentifier)
    }

    @Test func `an amount above the maximum, and a currency without one, are rejected`() throws {
        let till = try Self.read("maximumAmount: 50")
        try till.check(try Money("50.00", currency: .usDollar))
        let above = #expect(throws: AmountLimitError.self) { try till.check(try Money("50.01", currency: .usDollar)) }
        #expect(
            above?.description
                == "50.01 USD is above this till's maximum of 50.00 USD: check the amount, or raise 'maximumAmount' in "
                + "the configuration")
        let euro = try Currency(code: "EUR")
        let other = #expect(throws: AmountLimitError.self) { try till.check(try Money("1", currency: euro)) }
        #expect(
            other?.description
                == "this till does not accept payments in EUR, only in USD: "
                + "add a 'maximumAmount' for EUR to the configuration")
        let both = try Self.read("maximumAmount: { USD: 50, eur: 40.5 }")
        try both.check(try Money("40.50", currency: euro))
        #expect(throws: AmountLimitError.self) { try both.check(try Money("40.51", currency: euro)) }
    }

    // EMV Book 4 §10.1: the terminal's country is a number of three digits
    @Test(arguments: [("US", 840), ("usa", 840), ("840", 840), ("NO", 578), ("036", 36), ("4", 4), ("383", 383)])
    func `a country is given by letters or by number`(text: String, numeric: UInt16) throws {
        #expect(try Self.read("terminal: { country: \(text) }").terminal.country == numeric)
    }

    @Test func `magnetic stripes are configurable, and every value can be read back`() throws {
        #expect(try Self.read("receipt: { width: 40 }").magneticStripe == MagneticStripePolicy())
        let till = try Self.read(
            """
            terminal:
              magstripe: { enabled: false, fallback: false, chipFailures: 2, path: hidraw, keyboards: ["0acd:0520"] }
            """)
        let policy = till.magneticStripe
        #expect(!policy.isEnabled && !policy.allowsFallback)
        #expect(policy.chipFailures == 2)
        #expect(policy.path == .hidraw)
        #expect(
            policy.readers.last == MagneticStripeReaderModel(vendorID: 0x0ACD, productID: 0x0520, format: .keyboard))
        #expect(policy.readers.count == MagneticStripeReaderModel.known.count + 1)
        #expect(try Self.read(till.yaml).magneticStripe == policy)
    }

    @Test func `revoked certificates are named by payment system, key and serial number`() throws {
        let text = "revocations: [{ rid: A000000003, index: 92, serial: 00A1B2 }]"
        let till = try Self.read(text)
        let revocation = CertificateRevocation(
            rid: [0xA0, 0, 0, 0, 3], index: 0x92, serialNumber: [0x00, 0xA1, 0xB2])
        #expect(till.terminal.revokedCertificates == [revocation])
        #expect(try Self.read(till.yaml) == till)
        let other = CertificateRevocation(rid: [0xA0, 0, 0, 0, 4], index: 0xF1, serialNumber: [1, 2, 3])
        let terminal = till.terminal.adding(certificationAuthorityKeys: [], revokedCertificates: [other])
        #expect(terminal.revokedCertificates == [revocation, other])
    }

    // EMV Book 4 annex A2: the terminal capabilities are three bytes, with a bit for each capability
    @Test func `capabilities are given by name or as bytes`() throws {
        let named = try Self.read("terminal: { capabilities: [contactChip, noCVM, magneticStripe] }")
        #expect(named.terminal.capabilities.description == "600800")
        #expect(try Self.read("terminal: { capabilities: 60 08 00 }") == named)
        let additional = try Self.read("terminal: { additionalCapabilities: [goods, numericKeys, codeTable5] }")
        #expect(additional.terminal.additionalCapabilities.description == "4000800010")
        #expect(try Self.read("terminal: { additionalCapabilities: 4000800010 }") == additional)
        #expect(try Self.read("terminal: { additionalCapabilities: 0000000000 }").terminal.additionalCapabilities == [])
    }

    @Test func `name and address become the name and location for cards`() throws {
        let till = try Self.read("merchant: { name: Shop, address: [1 Street, Town] }")
        #expect(till.terminal.merchantNameAndLocation == "Shop, 1 Street, Town")
        let name = String(repeating: "n", count: 60)
        let long = try Self.read("merchant: { name: \(name), address: [\(name)] }")
        #expect(long.terminal.merchantNameAndLocation.count == 99)
    }

    @Test func `the printed configuration is the same when it is read back`() throws {
        let unusual = try Self.read(
            #"""
            merchant: { name: "a \"b\" \\ # : \u202E\u00AD 收据 👩‍👧 e\u0301", nameAndLocation: '"\ #' }
            terminal: { type: 34, country: 383, additionalCapabilities: 0000000000, applicationChoice: false }
            currency: JPY
            maximumAmount: 100000
            applications: [{ aid: F000000001, versions: [FFFF], defaultDDOL: 9F37040004,
                actionCodes: { denial: 0000000000, online: FFFFFFFFFF, default: 0102030405 }, floorLimit: 4294967295,
                randomSelection: { threshold: 4294967294, target: 98, maximum: 99 } }]
            readers: { reconnect: { enabled: false, giveUpAfter: 86400 } }
            receipt: { printer: "Büro" }
            """#)
        #expect(!unusual.reconnection.isEnabled)
        #expect(unusual.reconnection.giveUpAfter == .seconds(86_400))
        for till in [TillConfiguration.standard, try Self.example(), unusual] {
            let text = till.yaml
            #expect(try Self.read(text) == till)
            #expect(try Self.read(text).yaml == text)
            #expect(text.utf8.allSatisfy { $0 == 0x0A || $0 >= 0x20 })
        }
    }

    @Test func `the printed configuration explains itself`() {
        let lines = TillConfiguration.standard.yaml.split(separator: "\n")
        #expect(lines.contains(#"  id: "000000000000001"  # tag 9F16, DE 42"#))
        #expect(lines.contains("  capabilities: [  # tag 9F33: 20F8C8"))
        #expect(lines.contains("  country: USA  # tag 9F1A, ISO 3166"))
        #expect(lines.contains(#"    name: "Visa credit and debit""#))
        #expect(lines.contains("    actionCodes: { denial: 1010000000, online: DC4004F800, default: DC4000A800 }"))
        #expect(lines.allSatisfy { $0.count <= 120 })
    }

    @Test func `the documentation names every key`() throws {
        let text = try String(contentsOf: documentation.appending(path: "configuration.md"), encoding: .utf8)
        let example = try String(contentsOf: documentation.appending(path: "examples/till.yaml"), encoding: .utf8)
        let keys = (example + TillConfiguration.standard.yaml).matches(of: /(?m)^ *(?:- )?([a-zA-Z]+):/).map(\.output.1)
        #expect(Set(keys).count > 45)
        for key in Set(keys) where key != "EUR" && key != "CHF" {
            #expect(text.contains(try Regex("[`. ]\(key)[`.:\n]")), "\(key)")
        }
    }

    @Test func `the documentation has every feature and experiment`() throws {
        let text = try String(contentsOf: documentation.appending(path: "configuration.md"), encoding: .utf8)
        for feature in FeatureFlag.allCases { #expect(text.contains("\n| `\(feature.rawValue)` | ")) }
        for experiment in ABTest.allCases {
            let variations = experiment.variations.map { "`\($0.name)`" }.joined(separator: ", ")
            #expect(text.contains("\n| `\(experiment.rawValue)` | \(variations) | "))
        }
    }

    @Test func `receipts have the configured style and the rules of the terminal's country`() throws {
        let till = try Self.read(
            """
            terminal: { country: DE }
            receipt:
              logo: /srv/logo.png
              header: [Winter sale, "20 %"]
              footer: [Danke]
              locale: de
              paper: 58mm
              code: barcode
              sender: Corner Shop <till@shop.example>
            """)
        let receipt = till.receipt
        #expect(receipt.logo == "/srv/logo.png" && receipt.header == ["Winter sale", "20 %"])
        #expect(receipt.footer == ["Danke"] && receipt.language == .german && receipt.paper == .roll58)
        #expect(receipt.columns == 32 && till.receiptWidth == 32 && receipt.code == .barcode)
        #expect(receipt.region == .europeanUnion && receipt.sender == "Corner Shop <till@shop.example>")
        #expect(try Self.read(till.yaml).receipt == receipt)
    }

    @Test func `languages and account types are read, shown, and empty by default`() throws {
        let till = try Self.read(
            """
            terminal: { accountTypes: [cheque, savings] }
            receipt: { locale: fr, languages: [fr, de, en] }
            """)
        #expect(till.receipt.languages == [.french, .german, .english])
        #expect(till.terminal.accountTypes == [0x20, 0x10])
        #expect(try Self.read(till.yaml).receipt == till.receipt)
        #expect(try Self.read(till.yaml).terminal.accountTypes == [0x20, 0x10])
        let standard = try Self.read("receipt: { locale: de }")
        #expect(standard.receipt.languages.isEmpty && standard.terminal.accountTypes.isEmpty)
        for bad in [
            "receipt: { languages: [de, de] }", "receipt: { languages: [xx] }", "receipt: { languages: de }",
            "terminal: { accountTypes: [savings, savings] }", "terminal: { accountTypes: [default] }",
        ] {
            #expect(throws: SettingsError.self) { try Self.read(bad) }
        }
    }

    @Test(arguments: [
        ("840", ReceiptRegion.unitedStates), ("CA", .canada), ("GBR", .unitedKingdom), ("AU", .australia),
        ("BR", .brazil), ("JP", .japan), ("FR", .europeanUnion), ("CH", .other),
    ])
    func `the region of receipts is that of the country, unless configured otherwise`(
        country: String, region: ReceiptRegion
    ) throws {
        #expect(try Self.read("terminal: { country: '\(country)' }").receipt.region == region)
        #expect(try Self.read("terminal: { country: '\(country)' }\nreceipt: { region: br }").receipt.region == .brazil)
    }
}
