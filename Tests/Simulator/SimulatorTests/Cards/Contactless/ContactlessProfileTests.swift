import ContactlessKernel8
import Determinism
import EMV
import Settings
import SmartCard
import Testing

@testable import Simulator

struct ContactlessProfileTests {
    private static let text = """
        name: test
        description: A test card
        applications:
          - aid: A0000000041010
            label: MASTERCARD
            pan: 5413330089010046
            expiry: 2035-12-31
            issuerCountry: 840
            currency: USD
            cryptogram: aes
        contactless:
          decision: offline
        """

    @Test(arguments: CardProfileLibrary.contactlessNames)
    func `every contactless profile has a chip too, and makes a card`(name: String) throws {
        let profile = try CardProfileLibrary.profile(name)
        #expect(profile.name == name)
        #expect(try CardProfileLibrary.summary(of: name) == profile.summary)
        #expect(profile.applications.first?.cryptogram == .aes)
        let card = try SimulatedContactlessCard(profile: profile, random: SeededRandomSource(seed: 1))
        #expect(card.reset(warm: false) == hex("3B80800101"))
        #expect(!CardProfileLibrary.names.contains(name))
        #expect(CardProfileLibrary.allNames.filter { $0 == name }.count == 1)
        #expect(profile.interfaces == ["contact", "contactless"])
        // The applications of a standard terminal have this one, so that a till takes the card.
        let names = TerminalConfiguration.standard.applications.map(\.aid)
        #expect(names.contains { profile.contactless?.aid.starts(with: $0) == true })
    }

    @Test func `there are thirty and more, each with an account of its own`() throws {
        let profiles = try CardProfileLibrary.contactlessNames.map { try CardProfileLibrary.profile($0) }
        #expect(profiles.count >= 30)
        let numbers = profiles.flatMap { $0.applications.map { $0.pan.copy() } }
        #expect(Set(numbers).count == numbers.count)
        #expect(Set(profiles.map(\.summary)).count == profiles.count)
    }

    @Test(
        arguments: [("[50, 84]", [0x50, 0x84]), ("[9F38]", [0x9F, 0x38]), ("5084", [0x50, 0x84])] as [(String, [UInt8])]
    )
    func `the extended tag list is a list of tags`(text: String, tags: [UInt8]) throws {
        let profile = try CardProfile(yaml: Self.text + "\n  extendedTags: \(text)\n", file: "card.yaml")
        #expect(profile.contactless?.extendedTags == tags)
    }

    @Test(arguments: [
        "[]", "[5084]", "[9F]", "9F", "[50, [84]]", "[9F38, 9F38, 9F38, 9F38, 9F38, 9F38, 9F38, 9F38, 50]",
    ])
    func `what is no list of tags is refused`(text: String) {
        #expect(throws: SettingsError.self) {
            try CardProfile(yaml: Self.text + "\n  extendedTags: \(text)\n", file: "card.yaml")
        }
    }

    @Test func `the field has faults of its own, which the chip does not have`() throws {
        let profile = try CardProfileLibrary.profile("k8-torn-cryptogram")
        #expect(profile.faults.isEmpty)
        #expect(profile.contactless?.faults == [CardFault(.generateAC, .remove, moment: .during)])
        let text = Self.text + "\n  faults: []\nfaults:\n  - { command: select, do: mute }\n"
        let quiet = try CardProfile(yaml: text, file: "card.yaml")
        #expect(quiet.contactless?.faults == [] && quiet.faults.count == 1)
        let shared = try CardProfile(yaml: text.replacing("  faults: []\n", with: ""), file: "card.yaml")
        #expect(shared.contactless?.faults == nil)
        let card = try SimulatedContactlessCard(profile: shared, random: SeededRandomSource(seed: 1))
        _ = card.reset(warm: false)
        let select = try CommandAPDU(cla: 0, ins: 0xA4, p1: 4, p2: 0, data: [0xF0], expectedLength: 256)
        #expect(card.process(select).response == nil)
    }

    @Test func `a terminal needs each key of the authority once, and none for cards with contacts alone`() throws {
        let profiles = try ["k8-credit", "visa-credit", "k8-phone"].map { try CardProfileLibrary.profile($0) }
        #expect(try CardProfile.contactlessAuthorityKeys(of: profiles).map(\.rid) == [hex("A000000004")])
        #expect(try CardProfile.contactlessAuthorityKeys(of: [profiles[1]]).isEmpty)
    }

    @Test func `a short section gets its defaults`() throws {
        let profile = try #require(try CardProfile(yaml: Self.text, file: "card.yaml").contactless)
        #expect(profile.aid == hex("F0000000080101"))
        #expect(profile.label == "MASTERCARD")
        #expect(profile.interchangeProfile == hex("010A"))
        #expect(profile.pdol.encoded == hex("9F2B08 9E40 9F0206 9F1A02 9F3501"))
        #expect(
            profile.cdol1.encoded == hex("9F0206 9F0306 9F1A02 9505 5F2A02 9A03 9C01 9F3704 9F3303 9F1D08"))
        #expect(profile.relayResistance == nil)
    }

    @Test(arguments: [
        ("decision: maybe", "card.yaml:12: contactless.decision: unknown value 'maybe'"),
        (
            "locked: true",
            "card.yaml:12: contactless.locked: only a device can be locked; name 'device' in 'verification'"
        ),
        ("pdol: 9F0206", "card.yaml:12: contactless.pdol: the PDOL does not request 9E with 64 bytes"),
        ("cdol1: 9F0206", "card.yaml:12: contactless.cdol1: CDOL1 does not request 9F03 with 6 bytes"),
        ("restart: \"20\"", "card.yaml:12: contactless.restart: expected 2 to 5 bytes, found 1"),
        ("fault: restartLength", "card.yaml:12: contactless.fault: there is no restart indicator; add 'restart'"),
        (
            "envelopes: [{ tag: 9F8120, value: 01 }]",
            "card.yaml:12: contactless.envelopes[0].tag: no data envelope; use 9F8111 to 9F811A"
        ),
        ("lock: true", "card.yaml:12: contactless: unknown key 'lock'"),
    ])
    func `an error is reported with its line and key`(wrong: String, message: String) {
        let text = Self.text.replacing("decision: offline", with: wrong)
        #expect {
            try CardProfile(yaml: text, file: "card.yaml")
        } throws: {
            "\($0)".hasPrefix(message)
        }
    }

    @Test func `a card without the section cannot be tapped`() throws {
        let profile = try CardProfileLibrary.profile("visa-credit")
        #expect(throws: SimulatedCardError.notContactless("visa-credit")) {
            try SimulatedContactlessCard(profile: profile, random: SeededRandomSource(seed: 1))
        }
    }
}
