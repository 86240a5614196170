import Foundation
import Settings
import Testing
import TillConfiguration

@Suite("Errors in a till's configuration")
struct TillConfigurationErrorTests {
    static let application =
        "aid: F000000001, versions: [0001], actionCodes: { denial: 0000000000, "
        + "online: 0000000000, default: 0000000000 }"

    /// Each fault with the error that names its place, its cause and its mending.
    static let faults: [(yaml: String, error: String)] = [
        ("host: simulated\nmerchent:\n  name: x", "2: unknown key 'merchent'; did you mean 'merchant'?"),
        ("- a", "1: expected a mapping, found a list"),
        ("# nothing", "1: the file has no settings"),
        ("host: acquirer", "1: host: unknown value 'acquirer'; use one of simulated"),
        ("currency: USX", "1: currency: unknown currency; write an ISO 4217 code such as USD, EUR or JPY"),
        ("currency: [USD]", "1: currency: expected text, found a list"),

        ("merchant: x", "1: merchant: expected a mapping, found text"),
        ("merchant:\n  adress: []", "2: merchant: unknown key 'adress'; did you mean 'address'?"),
        ("merchant: { name: '' }", "1: merchant.name: expected 1 to 99 characters, found 0"),
        ("merchant: { name: ' ' }", "1: merchant.name: the text is blank"),
        (
            "merchant: { name: \"a\\nb\" }",
            "1: merchant.name: control characters and line breaks are not allowed here"
        ),
        (
            "merchant: { name: \"a\\L\" }",
            "1: merchant.name: control characters and line breaks are not allowed here"
        ),
        (
            "host: simulated\nmerchant:\n  name: Café",
            "3: merchant: name and address must be ASCII for cards and hosts; "
                + "add 'nameAndLocation' with both in plain letters"
        ),
        (
            "merchant: { nameAndLocation: Café }",
            "1: merchant.nameAndLocation: only printable ASCII characters are allowed here"
        ),
        (
            "merchant: { address: [\(Array(repeating: "x", count: 11).joined(separator: ", "))] }",
            "1: merchant.address: expected 0 to 10 entries, found 11"
        ),
        ("merchant: { address: [a, {}] }", "1: merchant.address[1]: expected text, found a mapping"),
        ("merchant: { id: 1234567890123456 }", "1: merchant.id: expected 1 to 15 characters, found 16"),
        ("merchant: { categoryCode: 10000 }", "1: merchant.categoryCode: '10000' is not in 0...9999"),
        ("merchant: { categoryCode: 5x }", "1: merchant.categoryCode: '5x' is not a number"),

        ("terminal: { id: 1234567 }", "1: terminal.id: expected 8 characters, found 7"),
        (
            "terminal:\n  type: 29",
            "2: terminal.type: not a terminal type; "
                + "write 11 to 16, 21 to 26 or 34 to 36; a shop's till is 22 or 21"
        ),
        (
            "terminal:\n  country: UK",
            "2: terminal.country: not a country; write an ISO 3166 code such as US, USA or 840"
        ),
        (
            "terminal: { country: 1 }",
            "1: terminal.country: not a country; write an ISO 3166 code such as US, USA or 840"
        ),
        (
            "terminal: { country: 000 }",
            "1: terminal.country: not a country; write an ISO 3166 code such as US, USA or 840"
        ),
        ("terminal: { acquirerId: 100000000000 }", "1: terminal.acquirerId: '100000000000' is not in 0...99999999999"),
        (
            "terminal: { interfaceDeviceSerial: ä2345678 }",
            "1: terminal.interfaceDeviceSerial: only printable ASCII characters are allowed here"
        ),
        (
            "terminal: { capabilities: [contactChip, signatur] }",
            "1: terminal.capabilities[1]: unknown value 'signatur'; did you mean 'signature'?"
        ),
        (
            "terminal: { capabilities: E0F8EC }",
            "1: terminal.capabilities: the bits 000020 are reserved or not supported by this terminal; "
                + "leave them out"
        ),
        (
            "revocations: [{ rid: A000000003, index: 92, serial: 00A1 }]",
            "1: revocations[0].serial: expected 3 bytes, found 2"
        ),
        ("terminal: { capabilities: E0F8 }", "1: terminal.capabilities: expected 3 bytes, found 2"),
        (
            "terminal: { capabilities: 40F800 }",
            "1: terminal.capabilities: the terminal must support contact chip cards; add contactChip"
        ),
        ("terminal: { capabilities: {} }", "1: terminal.capabilities: expected a list, found a mapping"),
        (
            "terminal: { additionalCapabilities: 7000B0F1FF }",
            "1: terminal.additionalCapabilities: the bits 00000000EE are reserved or not supported by this "
                + "terminal; leave them out"
        ),
        ("terminal:\n  pin:\n    tries: 0", "3: terminal.pin.tries: '0' is not in 1...15"),
        (
            "terminal: { pin: { entry: host } }",
            "1: terminal.pin.entry: unknown value 'host'; use one of readerFirst, reader, terminal"
        ),
        (
            "terminal: { pin: { readerRefusal: stop } }",
            "1: terminal.pin.readerRefusal: unknown value 'stop'; did you mean 'stops'?"
        ),
        ("terminal: { pin: { readerSeconds: 256 } }", "1: terminal.pin.readerSeconds: '256' is not in 5...255"),
        (
            "terminal: { pin: { scheme: des } }",
            "1: terminal.pin.scheme: unknown value 'des'; did you mean 'tdes'?"
        ),
        (
            "terminal:\n  capabilities: [contactChip, encipheredOnlinePIN]\n  pin: { entry: reader }",
            "2: terminal.capabilities: with pin.entry 'reader' no PIN reaches the terminal, so the terminal "
                + "cannot encipher it; leave encipheredOnlinePIN and encipheredOfflinePIN out, or use pin.entry 'readerFirst'"
        ),
        ("terminal: { pin: { bypass: yes } }", "1: terminal.pin.bypass: 'yes' is neither true nor false"),
        (
            "terminal: { pin: { trys: 3 } }",
            "1: terminal.pin: unknown key 'trys'; did you mean 'tries'?"
        ),
        ("terminal: { magstripe: { enabled: 1 } }", "1: terminal.magstripe.enabled: '1' is neither true nor false"),
        (
            "terminal: { magstripe: { path: bluetooth } }",
            "1: terminal.magstripe.path: unknown value 'bluetooth'; use one of usb, hidraw"
        ),
        (
            "terminal: { magstripe: { keyboards: [0801] } }",
            "1: terminal.magstripe.keyboards[0]: not a USB device; write vendor and product as lsusb does: 0801:0001"
        ),
        (
            "terminal: { magstripe: { keyboards: ['+801:0001'] } }",
            "1: terminal.magstripe.keyboards[0]: not a USB device; write vendor and product as lsusb does: 0801:0001"
        ),
        ("terminal: { applicationChoice: 1 }", "1: terminal.applicationChoice: '1' is neither true nor false"),

        (
            "maximumAmount: 10.001",
            "1: maximumAmount: '10.001' has too many decimals: USD has 2"
        ),
        (
            "maximumAmount: 1e3",
            "1: maximumAmount: '1e3' is not an amount: write digits with at most one decimal point, such as 12.50"
        ),
        (
            "maximumAmount: 1 000",
            "1: maximumAmount: not an amount; write digits with at most one decimal point, such as 12.50"
        ),
        ("maximumAmount: -5", "1: maximumAmount: '-5' is negative: an amount is zero or more"),
        ("maximumAmount: 0.00", "1: maximumAmount: a maximum of zero rejects every payment"),
        (
            "maximumAmount:\n  EUR: 5",
            "2: maximumAmount: no amount for the till's own currency; add one for USD"
        ),
        (
            "maximumAmount:\n  USD: 5\n  usd: 6",
            "3: maximumAmount.usd: duplicate currency; remove one of them"
        ),
        (
            "maximumAmount:\n  USD: 5\n  ABC: 6",
            "3: maximumAmount.ABC: unknown currency; write an ISO 4217 code such as USD, EUR or JPY"
        ),

        ("applications: []", "1: applications: expected 1 to 100 entries, found 0"),
        ("applications: all", "1: applications: expected a list, found text"),
        ("applications: [{ name: x }]", "1: applications[0]: the key 'aid' is missing"),
        ("applications: [{ aid: A0000000 }]", "1: applications[0].aid: expected 5 to 16 bytes, found 4"),
        (
            "applications: [{ aid: A00000000310 1 }]",
            "1: applications[0].aid: 'A00000000310 1' is not hexadecimal; write two digits (0-9, A-F) for each byte"
        ),
        ("applications: [{ aid: F000000001 }]", "1: applications[0]: the key 'versions' is missing"),
        (
            "applications: [{ aid: F000000001, versions: [0001] }]",
            "1: applications[0]: the key 'actionCodes' is missing"
        ),
        (
            "applications: [{ aid: F000000001, versions: [0001], actionCodes: { denial: 0000000000 } }]",
            "1: applications[0].actionCodes: the key 'online' is missing"
        ),
        (
            "applications: [{ aid: A0000000031010, versions: [] }]",
            "1: applications[0].versions: expected 1 to 16 entries, found 0"
        ),
        (
            "applications: [{ aid: A0000000031010, versions: [96] }]",
            "1: applications[0].versions[0]: expected 2 bytes, found 1"
        ),
        (
            "applications: [{ aid: A0000000031010, actionCodes: { online: 00 } }]",
            "1: applications[0].actionCodes.online: expected 5 bytes, found 1"
        ),
        (
            "applications:\n  - aid: A0000000031010\n    floorLimit: 12.345",
            "3: applications[0].floorLimit: '12.345' has too many decimals: USD has 2"
        ),
        (
            "applications:\n  - aid: A0000000031010\n    floorLimit: 42949672.96",
            "3: applications[0].floorLimit: too large: four bytes hold at most 4294967295 minor units"
        ),
        (
            "applications:\n  - aid: A0000000031010\n    floorLimt: 1",
            "3: applications[0]: unknown key 'floorLimt'; did you mean 'floorLimit'?"
        ),
        (
            "applications: [{ \(application), floorLimit: 5, randomSelection: { threshold: 5 } }]",
            "1: applications[0].randomSelection.threshold: the threshold is not below the floor limit, so it selects "
                + "nothing"
        ),
        (
            "applications: [{ \(application), randomSelection: { target: 100 } }]",
            "1: applications[0].randomSelection.target: '100' is not in 0...99"
        ),
        (
            "applications: [{ \(application), randomSelection: { target: 50, maximum: 40 } }]",
            "1: applications[0].randomSelection.maximum: '40' is not in 50...99"
        ),
        (
            "applications: [{ \(application), defaultDDOL: 9F37 }]",
            "1: applications[0].defaultDDOL: data object list ends early, at offset 0"
        ),
        (
            "applications: [{ \(application), defaultDDOL: 9A03 }]",
            "1: applications[0].defaultDDOL: the list does not contain the unpredictable number; write 9F3704"
        ),
        (
            "applications: [{ \(application), defaultTDOL: 9FFF }]",
            "1: applications[0].defaultTDOL: data object list ends early, at offset 0"
        ),
        (
            "applications:\n  - aid: A0000000031010\n  - aid: a0 00 00 00 03 10 10",
            "3: applications[1].aid: duplicate AID; remove one of the entries"
        ),
        (
            "applications: { extends: standart, list: [] }",
            "1: applications.extends: unknown value 'standart'; did you mean 'standard'?"
        ),
        ("applications: { list: [] }", "1: applications: the key 'extends' is missing"),
        ("applications: { extends: standard }", "1: applications: the key 'list' is missing"),

        ("capks: [{ rid: A0000000 }]", "1: capks[0].rid: expected 5 bytes, found 4"),
        ("capks: [{ rid: A000000003, index: 1C0D }]", "1: capks[0].index: expected 1 bytes, found 2"),
        ("capks: {}", "1: capks: expected a list, found a mapping"),
        (
            "capks: [nowhere.yaml]",
            "1: capks[0]: cannot read the file: No such file or directory; name a file in the directory of this one"
        ),
        ("capks: nowhere.yaml", "1: capks: expected a list, found text"),
        ("revocations: [{ rid: A000000003 }]", "1: revocations[0]: the key 'index' is missing"),
        (
            "splitSaleWindow: 0", "1: splitSaleWindow: not a duration; write day, none, or 1 to 168 hours"
        ),
        ("readers: { reconect: {} }", "1: readers: unknown key 'reconect'; did you mean 'reconnect'?"),
        ("readers: { reconnect: { giveUpAfter: 0 } }", "1: readers.reconnect.giveUpAfter: '0' is not in 1...86400"),

        ("receipt: { width: 23 }", "1: receipt.width: '23' is not in 24...80"),
        ("receipt: { width: 81 }", "1: receipt.width: '81' is not in 24...80"),
        (
            "receipt:\n  locale: xx",
            "2: receipt.locale: unknown value 'xx'; use one of en, es, fr, de, it, pt, ja, ar"
        ),
        ("receipt: { paper: a5 }", "1: receipt.paper: unknown value 'a5'; did you mean 'a4'?"),
        ("receipt: { code: qrr }", "1: receipt.code: unknown value 'qrr'; did you mean 'qr'?"),
        ("receipt: { region: usa }", "1: receipt.region: unknown value 'usa'; did you mean 'us'?"),
        (
            "receipt: { header: [\"a\\nb\"] }",
            "1: receipt.header[0]: control characters and line breaks are not allowed here"
        ),
        ("receipt: { footer: Thanks }", "1: receipt.footer: expected a list, found text"),
        ("receipt: { logo: [a.png] }", "1: receipt.logo: expected text, found a list"),
        ("receipt: { sender: '' }", "1: receipt.sender: expected 1 to 320 characters, found 0"),
        ("printers: kitchen", "1: printers: expected a list, found text"),
        ("printers: [{ address: 'socket://a' }]", "1: printers[0]: the key 'name' is missing"),
        (
            "printers: [{ name: a b }]",
            "1: printers[0].name: not a print queue: its name must not contain spaces, '/' or '#'; see 'lpstat -e'"
        ),
        (
            "printers:\n  - { name: kitchen, address: 'ipp://a' }",
            "2: printers[0].address: not the address of a network printer; write socket://HOST or socket://HOST:PORT; a "
                + "printer with a user or of another kind gets a queue"
        ),
        ("printers: [{ name: a, adress: b }]", "1: printers[0]: unknown key 'adress'; did you mean 'address'?"),
        (
            "printers: [{ name: a, family: citizen }]",
            "1: printers[0].family: unknown value 'citizen'; use one of epson, star"
        ),
        ("printers: [{ name: a, columns: 132 }]", "1: printers[0].columns: '132' is not in 24...80"),
        (
            "printers: [{ name: a, status: false }]",
            "1: printers[0].status: only the print server can query a print queue; remove 'status', or give the printer "
                + "an address"
        ),
        (
            "printers:\n  - { name: a }\n  - { name: a }",
            "3: printers[1].name: duplicate printer; give one of them another name"
        ),
        ("receipt: { widht: 40 }", "1: receipt: unknown key 'widht'; did you mean 'width'?"),
        (
            "receipt: { printer: a b }",
            "1: receipt.printer: not a print queue: its name must not contain spaces, '/' or '#'; see 'lpstat -e'"
        ),
    ]

    private func message(_ yaml: String, file: String = "till.yaml") -> String? {
        do {
            _ = try TillConfiguration(yaml: yaml, file: file)
            return nil
        } catch {
            return error.description
        }
    }

    @Test(arguments: faults)
    func `an error is reported with its line and key`(yaml: String, error: String) {
        #expect(message(yaml) == "till.yaml:" + error)
    }

    /// The first key of the example, as a configuration has it, with something in it replaced.
    private func key(replacing pattern: String, by text: String) throws -> String {
        let example = try String(contentsOf: documentation.appending(path: "examples/ca-keys.yaml"), encoding: .utf8)
        let lines = example.split(separator: "\n", omittingEmptySubsequences: false).dropFirst(2).prefix(11)
        return (["capks:"] + lines).joined(separator: "\n")
            .replacing(try Regex(pattern), with: text, maxReplacements: 1)
    }

    @Test func `a key with an error does not match its checksum`() throws {
        #expect(message(try key(replacing: "nothing", by: "")) == nil)
        for (pattern, text) in [("C25C6D", "C25C6C"), ("index: 1C", "index: 1D"), ("exponent: 03", "exponent: 010001")]
        {
            let found = try #require(message(try key(replacing: pattern, by: text)))
            #expect(found.hasPrefix("till.yaml:12: capks[0].checksum: the checksum of CA public key A000000003 1"))
        }
        #expect(
            message(try key(replacing: "exponent: 03", by: "exponent: 05"))
                == "till.yaml:11: capks[0].exponent: the exponent of a CA public key is 05: it must be 03 or 010001")
    }

    @Test func `a key requires its checksum and a valid date`() throws {
        #expect(
            message(try key(replacing: "  checksum: [0-9A-F]+", by: ""))
                == "till.yaml:2: capks[0]: the key 'checksum' is missing")
        for date in ["2035-02-29", "2035-13-01", "35-01-01", "1999-01-01", "2050-01-01", "2035-1-1", "soon"] {
            #expect(
                message(try key(replacing: "exponent: 03", by: "exponent: 03\n  expires: \(date)"))
                    == "till.yaml:12: capks[0].expires: not a date; write it as 2030-12-31, from 2000 to 2049")
        }
        #expect(message(try key(replacing: "exponent: 03", by: "exponent: 03\n  expires: 2036-02-29")) == nil)
    }

    @Test func `a duplicate key is rejected at its second location`() throws {
        let once = try key(replacing: "nothing", by: "")
        let entry = once.split(separator: "\n").drop { !$0.hasPrefix("- ") }.joined(separator: "\n")
        let twice = "capks:\n\(entry)\n\(entry)\n"
        let found = try #require(message(twice))
        #expect(found.contains(": capks[1]: duplicate key 1C of A000000003, first in line 2; remove one of them"))
    }

    @Test func `an error in a file of keys is reported with that file`() throws {
        // Without digits: messages mask what may be a card number.
        let name = UUID().uuidString.filter(\.isLetter)
        let directory = FileManager.default.temporaryDirectory.appending(path: "till-\(name)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let keys = directory.appending(path: "keys.yaml")
        let till = directory.appending(path: "till.yaml")
        try Data("capks:\n  - keys.yaml\n".utf8).write(to: till)

        func failure() -> String? {
            do {
                _ = try TillConfiguration.load(path: till.path)
                return nil
            } catch {
                return error.description
            }
        }
        #expect(
            failure()
                == "\(till.path):2: capks[0]: cannot read the file: No such file or directory; "
                + "name a file in the directory of this one")
        try Data("# keys\n- rid: A0\n".utf8).write(to: keys)
        #expect(failure() == "\(keys.path):2: [0].rid: expected 5 bytes, found 1")
        try Data("# keys\n\n{\"rid\": \"A0\"}\n".utf8).write(to: keys)
        #expect(failure() == "\(keys.path):3: rid: expected 5 bytes, found 1")
        try Data("- keys.yaml\n".utf8).write(to: keys)
        #expect(failure() == "\(keys.path):1: [0]: expected a mapping, found text")
        try Data("merchant: x\n".utf8).write(to: keys)
        #expect(failure() == "\(keys.path):1: expected a list, found a mapping")
        try Data("[]\n".utf8).write(to: keys)
        #expect(failure() == nil)
    }

    @Test func `a missing file is an error, not the standard configuration`() {
        let error = #expect(throws: SettingsError.self) { try TillConfiguration.load(path: "/nowhere/till.yaml") }
        #expect(error?.description == "/nowhere/till.yaml: cannot read the file: No such file or directory")
    }
}
