import Foundation
import Hardware
import SettingsFile
import Testing

@Suite("Faults in a till's configuration")
struct TillConfigurationErrorTests {
    static let application =
        "aid: F000000001, versions: [0001], actionCodes: { denial: 0000000000, "
        + "online: 0000000000, default: 0000000000 }"

    /// Each fault with the error that names its place, its cause and its mending.
    static let faults: [(yaml: String, error: String)] = [
        ("host: simulated\nmerchent:\n  name: x", "2: unknown key 'merchent'; did you mean 'merchant'?"),
        ("- a", "1: a mapping is wanted here, not a list"),
        ("# nothing", "1: the file has no settings"),
        ("host: acquirer", "1: host: 'acquirer' is not known here; use one of simulated"),
        ("currency: USX", "1: currency: unknown currency; write an ISO 4217 code such as USD, EUR or JPY"),
        ("currency: [USD]", "1: currency: text is wanted here, not a list"),

        ("merchant: x", "1: merchant: a mapping is wanted here, not text"),
        ("merchant:\n  adress: []", "2: merchant: unknown key 'adress'; did you mean 'address'?"),
        ("merchant: { name: '' }", "1: merchant.name: 0 characters, where 1 to 99 are wanted"),
        ("merchant: { name: ' ' }", "1: merchant.name: there is nothing but blanks here"),
        (
            "merchant: { name: \"a\\nb\" }",
            "1: merchant.name: control characters and line breaks cannot stand here"
        ),
        (
            "merchant: { name: \"a\\L\" }",
            "1: merchant.name: control characters and line breaks cannot stand here"
        ),
        (
            "host: simulated\nmerchant:\n  name: Café",
            "3: merchant: cards and hosts take name and address in ASCII only; "
                + "add 'nameAndLocation' with both in plain letters"
        ),
        (
            "merchant: { nameAndLocation: Café }",
            "1: merchant.nameAndLocation: only printable ASCII characters can stand here"
        ),
        (
            "merchant: { address: [\(Array(repeating: "x", count: 11).joined(separator: ", "))] }",
            "1: merchant.address: 11 entries, where 0 to 10 are wanted"
        ),
        ("merchant: { address: [a, {}] }", "1: merchant.address[1]: text is wanted here, not a mapping"),
        ("merchant: { id: 1234567890123456 }", "1: merchant.id: 16 characters, where 1 to 15 are wanted"),
        ("merchant: { categoryCode: 10000 }", "1: merchant.categoryCode: '10000' is not in 0...9999"),
        ("merchant: { categoryCode: 5x }", "1: merchant.categoryCode: '5x' is not a number"),

        ("terminal: { id: 1234567 }", "1: terminal.id: 7 characters, where 8 are wanted"),
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
            "terminal: { country: 000 }",
            "1: terminal.country: not a country; write an ISO 3166 code such as US, USA or 840"
        ),
        ("terminal: { acquirerId: 100000000000 }", "1: terminal.acquirerId: '100000000000' is not in 0...99999999999"),
        (
            "terminal: { interfaceDeviceSerial: ä2345678 }",
            "1: terminal.interfaceDeviceSerial: only printable ASCII characters can stand here"
        ),
        (
            "terminal: { capabilities: [contactChip, signatur] }",
            "1: terminal.capabilities[1]: 'signatur' is not known here; did you mean 'signature'?"
        ),
        (
            "terminal: { capabilities: E0F8EC }",
            "1: terminal.capabilities: the bits 000024 are reserved or announce what this terminal does not do; "
                + "leave them out"
        ),
        (
            "revocations: [{ rid: A000000003, index: 92, serial: 00A1 }]",
            "1: revocations[0].serial: 2 bytes, where 3 are wanted"
        ),
        ("terminal: { capabilities: E0F8 }", "1: terminal.capabilities: 2 bytes, where 3 are wanted"),
        (
            "terminal: { capabilities: 40F800 }",
            "1: terminal.capabilities: the terminal reads chip cards by contacts; add contactChip"
        ),
        ("terminal: { capabilities: {} }", "1: terminal.capabilities: a list is wanted here, not a mapping"),
        (
            "terminal: { additionalCapabilities: 7000B0F1FF }",
            "1: terminal.additionalCapabilities: the bits 00000000EE are reserved or announce what this terminal does "
                + "not do; leave them out"
        ),
        ("terminal:\n  pin:\n    tries: 0", "3: terminal.pin.tries: '0' is not in 1...15"),
        (
            "terminal: { pin: { entry: host } }",
            "1: terminal.pin.entry: 'host' is not known here; use one of readerFirst, reader, terminal"
        ),
        (
            "terminal: { pin: { readerRefusal: stop } }",
            "1: terminal.pin.readerRefusal: 'stop' is not known here; did you mean 'stops'?"
        ),
        ("terminal: { pin: { readerSeconds: 256 } }", "1: terminal.pin.readerSeconds: '256' is not in 5...255"),
        (
            "terminal: { pin: { scheme: des } }",
            "1: terminal.pin.scheme: 'des' is not known here; did you mean 'tdes'?"
        ),
        (
            "terminal:\n  capabilities: [contactChip, encipheredOnlinePIN]\n  pin: { entry: reader }",
            "2: terminal.capabilities: with pin.entry 'reader' no PIN reaches the terminal, so that none can be "
                + "enciphered; leave encipheredOnlinePIN and encipheredOfflinePIN out, or use pin.entry 'readerFirst'"
        ),
        ("terminal: { pin: { bypass: yes } }", "1: terminal.pin.bypass: 'yes' is neither true nor false"),
        (
            "terminal: { pin: { trys: 3 } }",
            "1: terminal.pin: unknown key 'trys'; did you mean 'tries'?"
        ),
        ("terminal: { magstripe: { enabled: 1 } }", "1: terminal.magstripe.enabled: '1' is neither true nor false"),
        (
            "terminal: { magstripe: { path: bluetooth } }",
            "1: terminal.magstripe.path: 'bluetooth' is not known here; use one of usb, hidraw"
        ),
        (
            "terminal: { magstripe: { keyboards: [0801] } }",
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
        ("maximumAmount: 0.00", "1: maximumAmount: a maximum of zero refuses every payment"),
        (
            "maximumAmount:\n  EUR: 5",
            "2: maximumAmount: there is no amount for the till's own currency; add one for USD"
        ),
        (
            "maximumAmount:\n  USD: 5\n  usd: 6",
            "3: maximumAmount.usd: the currency is there twice; remove one of them"
        ),
        (
            "maximumAmount:\n  USD: 5\n  ABC: 6",
            "3: maximumAmount.ABC: unknown currency; write an ISO 4217 code such as USD, EUR or JPY"
        ),

        ("applications: []", "1: applications: 0 entries, where 1 to 100 are wanted"),
        ("applications: all", "1: applications: a list is wanted here, not text"),
        ("applications: [{ name: x }]", "1: applications[0]: the key 'aid' is missing"),
        ("applications: [{ aid: A0000000 }]", "1: applications[0].aid: 4 bytes, where 5 to 16 are wanted"),
        (
            "applications: [{ aid: A00000000310 1 }]",
            "1: applications[0].aid: 'A00000000310 1' is not a row of hexadecimal bytes; write two digits 0-9 A-F a byte"
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
            "1: applications[0].versions: 0 entries, where 1 to 16 are wanted"
        ),
        (
            "applications: [{ aid: A0000000031010, versions: [96] }]",
            "1: applications[0].versions[0]: 1 bytes, where 2 are wanted"
        ),
        (
            "applications: [{ aid: A0000000031010, actionCodes: { online: 00 } }]",
            "1: applications[0].actionCodes.online: 1 bytes, where 5 are wanted"
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
            "1: applications[0].defaultDDOL: the list does not ask for the unpredictable number; write 9F3704"
        ),
        (
            "applications: [{ \(application), defaultTDOL: 9FFF }]",
            "1: applications[0].defaultTDOL: data object list ends early, at offset 0"
        ),
        (
            "applications:\n  - aid: A0000000031010\n  - aid: a0 00 00 00 03 10 10",
            "3: applications[1].aid: the AID is there twice; remove one of the entries"
        ),
        (
            "applications: { extends: standart, list: [] }",
            "1: applications.extends: 'standart' is not known here; did you mean 'standard'?"
        ),
        ("applications: { list: [] }", "1: applications: the key 'extends' is missing"),
        ("applications: { extends: standard }", "1: applications: the key 'list' is missing"),

        ("capks: [{ rid: A0000000 }]", "1: capks[0].rid: 4 bytes, where 5 are wanted"),
        ("capks: [{ rid: A000000003, index: 1C0D }]", "1: capks[0].index: 2 bytes, where 1 are wanted"),
        ("capks: {}", "1: capks: a list is wanted here, not a mapping"),
        (
            "capks: [nowhere.yaml]",
            "1: capks[0]: cannot read the file: No such file or directory; name a file in the directory of this one"
        ),
        ("capks: nowhere.yaml", "1: capks: a list is wanted here, not text"),
        ("revocations: [{ rid: A000000003 }]", "1: revocations[0]: the key 'index' is missing"),
        (
            "splitSaleWindow: 0", "1: splitSaleWindow: not a length of time; write day, none, or 1 to 168 hours"
        ),
        ("readers: { reconect: {} }", "1: readers: unknown key 'reconect'; did you mean 'reconnect'?"),
        ("readers: { reconnect: { giveUpAfter: 0 } }", "1: readers.reconnect.giveUpAfter: '0' is not in 1...86400"),

        ("receipt: { width: 23 }", "1: receipt.width: '23' is not in 24...80"),
        ("receipt: { width: 81 }", "1: receipt.width: '81' is not in 24...80"),
        (
            "receipt:\n  locale: xx",
            "2: receipt.locale: 'xx' is not known here; use one of en, es, fr, de, it, pt, ja, ar"
        ),
        ("receipt: { paper: a5 }", "1: receipt.paper: 'a5' is not known here; did you mean 'a4'?"),
        ("receipt: { code: qrr }", "1: receipt.code: 'qrr' is not known here; did you mean 'qr'?"),
        ("receipt: { region: usa }", "1: receipt.region: 'usa' is not known here; did you mean 'us'?"),
        (
            "receipt: { header: [\"a\\nb\"] }",
            "1: receipt.header[0]: control characters and line breaks cannot stand here"
        ),
        ("receipt: { footer: Thanks }", "1: receipt.footer: a list is wanted here, not text"),
        ("receipt: { logo: [a.png] }", "1: receipt.logo: text is wanted here, not a list"),
        ("receipt: { sender: '' }", "1: receipt.sender: 0 characters, where 1 to 320 are wanted"),
        ("printers: kitchen", "1: printers: a list is wanted here, not text"),
        ("printers: [{ address: 'socket://a' }]", "1: printers[0]: the key 'name' is missing"),
        (
            "printers: [{ name: a b }]",
            "1: printers[0].name: not a print queue: no blank, '/' or '#' can be in its name; see 'lpstat -e'"
        ),
        (
            "printers:\n  - { name: kitchen, address: 'ipp://a' }",
            "2: printers[0].address: not the address of a network printer; write socket://HOST or socket://HOST:PORT; a "
                + "printer with a user or of another kind gets a queue"
        ),
        ("printers: [{ name: a, adress: b }]", "1: printers[0]: unknown key 'adress'; did you mean 'address'?"),
        ("printers: [{ name: a, family: citizen }]", "1: printers[0].family: 'citizen' is not one of epson, star"),
        ("printers: [{ name: a, columns: 132 }]", "1: printers[0].columns: '132' is not in 24...80"),
        (
            "printers: [{ name: a, status: false }]",
            "1: printers[0].status: a print queue is asked by the print server; remove 'status', or give the printer an "
                + "address"
        ),
        (
            "printers:\n  - { name: a }\n  - { name: a }",
            "3: printers[1].name: the printer is there twice; give one of them another name"
        ),
        ("receipt: { widht: 40 }", "1: receipt: unknown key 'widht'; did you mean 'width'?"),
        (
            "receipt: { printer: a b }",
            "1: receipt.printer: not a print queue: no blank, '/' or '#' can be in its name; see 'lpstat -e'"
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
    func `a fault is named with its line and key`(yaml: String, error: String) {
        #expect(message(yaml) == "till.yaml:" + error)
    }

    /// The first key of the example, as a configuration has it, with something in it replaced.
    private func key(replacing pattern: String, by text: String) throws -> String {
        let example = try String(contentsOf: documentation.appending(path: "examples/ca-keys.yaml"), encoding: .utf8)
        let lines = example.split(separator: "\n", omittingEmptySubsequences: false).dropFirst(2).prefix(11)
        return (["capks:"] + lines).joined(separator: "\n")
            .replacing(try Regex(pattern), with: text, maxReplacements: 1)
    }

    @Test func `a key with a slip in it does not fit its checksum`() throws {
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

    @Test func `a key needs its checksum, and a date that the calendar has`() throws {
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

    @Test func `a key that is there twice is refused where it is there again`() throws {
        let once = try key(replacing: "nothing", by: "")
        let entry = once.split(separator: "\n").drop { !$0.hasPrefix("- ") }.joined(separator: "\n")
        let twice = "capks:\n\(entry)\n\(entry)\n"
        let found = try #require(message(twice))
        #expect(found.contains(": capks[1]: key 1C of A000000003 is there twice, first in line 2; remove one of them"))
    }

    @Test func `a fault in a file of keys is named with that file`() throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "till-\(UUID().uuidString)")
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
        #expect(failure() == "\(keys.path):2: [0].rid: 1 bytes, where 5 are wanted")
        try Data("# keys\n\n{\"rid\": \"A0\"}\n".utf8).write(to: keys)
        #expect(failure() == "\(keys.path):3: rid: 1 bytes, where 5 are wanted")
        try Data("- keys.yaml\n".utf8).write(to: keys)
        #expect(failure() == "\(keys.path):1: [0]: a mapping is wanted here, not text")
        try Data("merchant: x\n".utf8).write(to: keys)
        #expect(failure() == "\(keys.path):1: a list is wanted here, not a mapping")
        try Data("[]\n".utf8).write(to: keys)
        #expect(failure() == nil)
    }

    @Test func `a file that is not there is an error, not the standard configuration`() {
        let error = #expect(throws: SettingsError.self) { try TillConfiguration.load(path: "/nowhere/till.yaml") }
        #expect(error?.description == "/nowhere/till.yaml:1: cannot read the file: No such file or directory")
    }
}
