import Amounts
import Simulator
import Testing

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

    @Test func `a section changes what it names`() throws {
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
        ("stripe: { cardholderName: lower }", "capital"), ("stripe: { cardholderName: A^B }", "capital"),
        ("stripe: { tracks: [4] }", "tracks"), ("stripe: { fault: gone }", "fault"),
        ("stripe: { colour: red }", "colour"),
        ("stripe: always", "stripe"),
    ])
    func `a section that is wrong says where`(text: String, part: String) {
        let chip = text.contains("expiry: 2035") ? Self.noChip : Self.chip
        let message = error(chip + text + "\n")
        #expect(message?.contains(part) == true, "\(message ?? "no error")")
        for pan in ["4539578763621486", "4761739001010011"] { #expect(message?.contains(pan) != true) }
    }
}
