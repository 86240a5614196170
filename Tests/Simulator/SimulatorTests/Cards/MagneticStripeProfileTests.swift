import CardSecrets
import Money
import Testing

@testable import Simulator

@Suite struct StripeProfileTests {
    private static let chip = """
        name: my-card
        description: A card
        applications:
          - aid: A0000000031010
            label: VISA CREDIT
            pan: 4761739001010010
            expiry: 2035-12-31
            issuerCountry: 840
            currency: USD
            cryptogram: cvn18

        """
    private static let noChip = """
        name: my-card
        description: A card
        card: { mute: true }

        """

    private func profile(_ text: String) throws -> CardProfile { try CardProfile(yaml: text, file: "card.yaml") }

    private func error(_ text: String) -> String? {
        do {
            _ = try profile(text)
            return nil
        } catch {
            return "\(error)"
        }
    }

    @Test func `a chip card has the stripe of its first application`() throws {
        let stripe = try #require(try profile(Self.chip).stripe)
        #expect(stripe.serviceCode == 201)
        #expect(stripe.tracks == [1, 2])
        #expect(stripe.expiry.year == 2035)
        #expect(stripe.fault == nil)
        #expect(try profile(Self.chip + "stripe: none\n").stripe == nil)
    }

    @Test func `a section changes only its keys`() throws {
        let stripe = try #require(
            try profile(
                Self.chip + "stripe: { serviceCode: 601, tracks: [2, 3], expiry: 2030-01-31, fault: scratched }\n"
            ).stripe)
        #expect(stripe.serviceCode == 601)
        #expect(stripe.tracks == [2, 3])
        #expect(stripe.expiry.year == 2030)
        #expect(stripe.fault == .scratched)
    }

    @Test func `a card without a chip has a stripe and an account of its own`() throws {
        let card = try profile(
            Self.noChip + "stripe: { pan: 4761739001010010, expiry: 2035-12-31, issuerCountry: 840, currency: USD }\n"
                + "account: { available: 20.00 }\n")
        #expect(card.stripe?.serviceCode == 101)
        let accounts = try card.issuerAccounts(keys: TestKeys.embedded())
        #expect(accounts.map(\.lastFour) == ["0010"])
        #expect(accounts.first?.available?.minorUnits == 2000)
        #expect(try profile(Self.noChip).stripe == nil)
    }

    @Test(arguments: [
        ("stripe: { expiry: 2035-12-31 }", "stripe"), ("stripe: { pan: 4761739001010011 }", "check digit"),
        ("stripe: { pan: 4539578763621486 }", "test number"), ("stripe: { serviceCode: 1000 }", "serviceCode"),
        ("stripe: { cardholderName: lower }", "uppercase"), ("stripe: { cardholderName: A^B }", "uppercase"),
        ("stripe: { tracks: [4] }", "tracks"), ("stripe: { fault: gone }", "fault"),
        ("stripe: { colour: red }", "colour"),
        ("stripe: always", "stripe"),
    ])
    func `an error in a section is reported with its location`(text: String, part: String) {
        let chip = text.contains("expiry: 2035") ? Self.noChip : Self.chip
        let message = error(chip + text + "\n")
        #expect(message?.contains(part) == true, "\(message ?? "no error")")
        for pan in ["4539578763621486", "4761739001010011"] { #expect(message?.contains(pan) != true) }
    }
}

@Suite struct CardVerificationValueTests {
    private func value(_ pan: String, _ expiry: [UInt8], _ code: UInt16, _ key: [UInt8]) throws -> [UInt8] {
        try CardVerificationValue.compute(
            pan.utf8.map { $0 - 0x30 }, expiry: expiry, serviceCode: code, key: SensitiveBytes(key))
    }

    private let key: [UInt8] =
        [0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF] + [0xFE, 0xDC, 0xBA, 0x98, 0x76, 0x54, 0x32, 0x10]

    @Test func `the verification value of the example in security modules' manuals`() throws {
        #expect(try value("4123456789012345", [0x87, 0x01], 101, key) == [5, 6, 1])
    }

    @Test func `the verification value depends on every part of a stripe`() throws {
        let one = try value("4123456789012345", [0x87, 0x01], 101, key)
        #expect(try value("4123456789012346", [0x87, 0x01], 101, key) != one)
        #expect(try value("4123456789012345", [0x87, 0x02], 101, key) != one)
        #expect(try value("4123456789012345", [0x87, 0x01], 102, key) != one)
        #expect(try value("4123456789012345678", [0x87, 0x01], 101, key).count == 3)
    }
}
