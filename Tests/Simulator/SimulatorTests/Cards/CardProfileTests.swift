import Glibc
import Money
import Settings
import SmartCard
import Testing

@testable import Simulator

private let minimal = """
    name: test
    description: A card for a test
    applications:
      - aid: A0000000031010
        label: VISA
        pan: 4761739001010010
        expiry: 2035-12-31
        issuerCountry: 840
        currency: USD
        cryptogram: cvn18
    """

private func error(_ yaml: String) -> String? {
    do {
        _ = try CardProfile(yaml: yaml, file: "card.yaml")
        return nil
    } catch {
        return error.description
    }
}

struct CardProfileTests {
    @Test(arguments: CardProfileLibrary.names)
    func `every built-in profile loads and becomes a card`(name: String) throws {
        let profile = try CardProfileLibrary.profile(name)
        #expect(profile.name == name)
        #expect(!profile.summary.isEmpty)
        _ = try CardUnderTest(profile)
    }

    @Test func `a change of a built-in profile stays with the card for which it was made`() throws {
        let change = SettingsNode.mapping([("card", .mapping([("processingMilliseconds", .text("7"))]))])
        for _ in 1...2 {
            let plain = try CardProfileLibrary.profile("visa-dda")
            let changed = try CardProfileLibrary.profile("visa-dda", changedBy: [change])
            #expect(plain.processingTime == .zero && plain.origin?.changes == nil)
            #expect(changed.processingTime == .milliseconds(7))
            #expect(changed.applications.map(\.label) == plain.applications.map(\.label))
        }
    }

    @Test func `the profiles used in scenarios exist`() {
        let wanted = [
            "visa-credit", "mastercard-credit", "insufficient-funds", "declined-offline", "pin-required",
            "pin-enciphered", "online-pin", "blocked-application", "mute", "bad-atr", "multi-application",
            "offline-approve", "issuer-script", "t1-card",
        ]
        #expect(wanted.allSatisfy(CardProfileLibrary.names.contains))
        #expect(Set(CardProfileLibrary.names).count == CardProfileLibrary.names.count)
    }

    @Test func `every profile in the folder is built in and can be loaded by its path`() throws {
        let source = #filePath
        let root = source.split(separator: "/").dropLast(5).map { "/" + $0 }.joined()
        let folder = try #require(opendir("\(root)/Simulator/Resources/Cards"))
        defer { closedir(folder) }
        var files: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name.hasSuffix(".yaml") { files.append(String(name.dropLast(5))) }
        }
        #expect(files.sorted() == (CardProfileLibrary.names + CardProfileLibrary.contactlessNames).sorted())
        for file in files {
            #expect(try CardProfileLibrary.profile("\(root)/Simulator/Resources/Cards/\(file).yaml").name == file)
        }
    }

    @Test func `an unknown name gets the list of names or a suggestion`() {
        #expect {
            try CardProfileLibrary.profile("visa-credt")
        } throws: {
            "\($0)" == "there is no card profile 'visa-credt'; did you mean 'visa-credit'?"
        }
        #expect {
            try CardProfileLibrary.profile("golden")
        } throws: {
            "\($0)".contains("use one of visa-credit, mastercard-credit") && "\($0)".contains("bad-atr")
        }
    }

    @Test func `a missing file is reported`() {
        #expect {
            try CardProfileLibrary.profile("/nowhere/card.yaml")
        } throws: {
            "\($0)" == "/nowhere/card.yaml: cannot read the file: No such file or directory"
        }
    }

    @Test func `a short profile gets the defaults of its scheme`() throws {
        let profile = try CardProfile(yaml: minimal, file: "card.yaml")
        let application = try #require(profile.applications.first)
        #expect(profile.hasPSE)
        #expect(profile.reset.answer(warm: false) == hex("3B600000"))
        #expect(application.cdol1.encoded == hex("9F0206 9F0306 9F1A02 9505 5F2A02 9A03 9C01 9F3704"))
        #expect(application.interchangeProfile == hex("0C00"))
        #expect(application.risk.decision == .online)
        #expect(profile.account.available == nil)
        #expect(profile.cardholder.pinEntry(attempt: 0) == nil)
    }

    @Test(arguments: [
        ("aid: A0000000031010", "aid: A000", "card.yaml:4: applications[0].aid: expected 5 to 16 bytes, found 2"),
        ("label: VISA", "lable: VISA", "card.yaml:5: applications[0]: unknown key 'lable'; did you mean 'label'?"),
        ("label: VISA", "label: [VISA]", "card.yaml:5: applications[0].label: expected text, found a list"),
        (
            "4761739001010010", "4761739001010011",
            "card.yaml:6: applications[0].pan: the check digit of the PAN is wrong; see ISO/IEC 7812-1 annex B"
        ),
        (
            "4761739001010010", "47617390010100x0",
            "card.yaml:6: applications[0].pan: a PAN must have 8 to 19 digits and nothing else"
        ),
        (
            "2035-12-31", "2035-02-29",
            "card.yaml:7: applications[0].expiry: '2035-02-29' is not a date; write it as 2030-12-31, from 2000 to 2049"
        ),
        (
            "issuerCountry: 840", "issuerCountry: 8400",
            "card.yaml:8: applications[0].issuerCountry: '8400' is not in 1...999"
        ),
        (
            "currency: USD", "currency: XYZ",
            "card.yaml:9: applications[0].currency: unknown currency 'XYZ': give an ISO 4217 code such as USD, EUR or JPY"
        ),
        (
            "cryptogram: cvn18", "cryptogram: cvn19",
            "card.yaml:10: applications[0].cryptogram: unknown value 'cvn19'; did you mean 'cvn10'?"
        ),
        ("    cryptogram: cvn18", "", "card.yaml:4: applications[0]: the key 'cryptogram' is missing"),
        (
            "name: test", "name: Test 1",
            "card.yaml:1: name: a name can have only lowercase letters, digits, and hyphens"
        ),
    ])
    func `an error is reported with its line and key`(right: String, wrong: String, message: String) {
        #expect(minimal.contains(right))
        #expect(error(minimal.replacing(right, with: wrong)) == message)
    }

    @Test(arguments: [
        ("cdol1: 9F02 06", "CDOL1 does not request 9F03 with 6 bytes, which the cryptogram needs"),
        ("cdol1: 9F02", "not a data object list"),
        ("cdol2: 9F02 06", "CDOL2 does not request 8A with 2 bytes"),
        ("pdol: 9F", "not a data object list"),
        ("effective: 2036-01-01", "the card expires before it becomes effective"),
        ("counters: { atc: 3, lastOnlineATC: 4 }", "'lastOnlineATC' is above 'atc'"),
        ("cardholderVerification: { rules: [ { method: plaintextPIN } ] }", "requires a plaintext PIN"),
        ("cardholderVerification: { rules: [ { method: encipheredPIN } ] }", "requires an enciphered PIN"),
        ("pin: { value: \"12\" }", "expected 4 to 12 characters, found 2"),
        ("pin: { value: \"12a4\" }", "a PIN must have 4 to 12 digits"),
        ("pin: { value: \"1234\", triesLeft: 4 }", "'4' is not in 0...3"),
        ("riskManagement: { decision: offline }", "the key 'offlineLimit' is missing"),
        ("riskManagement: { decision: online, offlineLimit: 1.00 }", "only with 'decision: offline'"),
        ("riskManagement: { decision: offline, offlineLimit: 1.001 }", "too many decimals"),
        ("records: [ { file: 11, records: [ [5A] ] } ]", "'11' is not in 1...10"),
        ("records: [ { file: 1, records: [ [9F02] ] } ]", "9F02 cannot be in a record"),
        ("records: [ { file: 1, records: [ [5A, 5A] ] } ]", "5A is already in the record"),
        ("records: [ { file: 1, authenticatedRecords: 2, records: [ [5A] ] } ]", "'2' is not in 0...1"),
        ("languages: xyz", "not a list of ISO 639 language codes"),
        ("label: &x VISA", "duplicate key 'label'"),
    ])
    func `conflicting values are rejected`(line: String, message: String) {
        let text = error(minimal + "\n    \(line)\n")
        #expect(text?.contains(message) == true, "\(text ?? "no error")")
        #expect(text?.hasPrefix("card.yaml:") == true)
    }

    @Test(arguments: [
        ("card: { protocol: contactless }", "use one of T=0, T=1"),
        ("card: { mute: true, protocol: T=1 }", "a mute card has no answer to reset"),
        ("card: { atr: 3B00, protocol: T=1 }", "'atr' on line"),
        ("card: { warmATR: 3B00 }", "requires 'atr'"),
        ("account: { available: -5 }", "is negative"),
        ("account: { responseCode: abc }", "expected 2 characters, found 3"),
        ("account: { scripts: [ { command: fly } ] }", "unknown value"),
        ("account: { scripts: [ { command: putData } ] }", "the key 'tag' is missing"),
        ("cardholder: { choosesApplication: AMEX }", "no application has this label; use one of VISA, cancel"),
        ("cardholder: { choosesAccount: checking }", "use one of default, savings, cheque, credit"),
        ("cardholder: { pinEntries: [\"12\"] }", "expected 4 to 12"),
        ("unknown: 1", "unknown key 'unknown'"),
    ])
    func `the other sections are checked as well`(line: String, message: String) {
        let text = error(minimal + "\n\(line)\n")
        #expect(text?.contains(message) == true, "\(text ?? "no error")")
    }

    @Test func `a PAN that is not a published test number is rejected and never quoted`() {
        // The check digit is right.
        let text = error(minimal.replacing("4761739001010010", with: "4539578763621486"))
        #expect(text?.hasPrefix("card.yaml:6: applications[0].pan: the PAN is not a known test number") == true)
        #expect(text?.contains("4539") == false)
    }

    @Test func `neither PAN nor PIN is printed`() throws {
        for name in CardProfileLibrary.names where name != "mute" {
            let profile = try CardProfileLibrary.profile(name)
            let card = try CardUnderTest(profile).card
            var text = "\(profile) \(card) \(profile.applications) \(profile.cardholder) \(profile.account)"
            text += "\(String(describing: profile.stripe))"
            dump(profile.stripe, to: &text)
            dump(profile, to: &text)
            dump(profile.applications, to: &text)
            dump(card, to: &text)
            for pan in ["476173900101", "541333008901"] { #expect(!text.contains(pan), "\(name)") }
            #expect(!text.contains("1234"), "\(name)")
        }
    }

    @Test func `a cardholder with one PIN enters it every time`() throws {
        let profile = try CardProfileLibrary.profile("pin-required")
        guard case .digits(let digits)? = profile.cardholder.pinEntry(attempt: 5) else {
            Issue.record("no digits")
            return
        }
        #expect(digits.copy() == [1, 2, 3, 4])
    }

    @Test func `answers to reset are valid for their protocol, or invalid on request`() throws {
        #expect(try CardUnderTest(named: "visa-credit").atr == hex("3B600000"))
        let t1 = try CardUnderTest(named: "t1-card").atr
        #expect(t1 == hex("3BE000008131FE45EB"))
        #expect(t1.dropFirst().reduce(0, ^) == 0)
        #expect(try CardUnderTest(named: "bad-atr").atr.dropFirst().reduce(0, ^) != 0)
        #expect(try CardUnderTest(named: "mute").atr.isEmpty)
    }

    @Test func `a mute or unpowered card does not respond`() throws {
        let mute = try CardUnderTest(named: "mute")
        #expect(mute.card.process(CommandAPDU(0x00, 0x84, 0x00, 0x00, le: 0)).response == nil)
        let visa = try CardUnderTest(named: "visa-credit")
        visa.card.powerOff()
        #expect(visa.card.process(CommandAPDU(0x00, 0x84, 0x00, 0x00, le: 0)).response == nil)
    }
}

struct CardSummaryTests {
    @Test(arguments: CardProfileLibrary.names)
    func `the summary of a built-in profile is the one that its decoder reads`(name: String) throws {
        #expect(try CardProfileLibrary.summary(of: name) == CardProfileLibrary.profile(name).summary)
    }

    @Test func `there is no summary of a profile that is not built in`() throws {
        #expect(try CardProfileLibrary.summary(of: "no-such-card") == nil)
    }
}
