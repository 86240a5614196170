import CardSecrets
import Determinism
import MagneticStripe
import Testing

@Suite struct SwipedCardTests {
    private func error(
        one: consuming TrackReading = .absent, two: consuming TrackReading = .absent
    ) -> SwipedCardError? {
        let stripe = MagneticStripe(one: one, two: two)
        do throws(SwipedCardError) {
            _ = try SwipedCard(stripe)
            return nil
        } catch {
            return error
        }
    }

    private func read(_ text: String) -> TrackReading { .read(Stripe.ascii(text)) }

    private static func hex(_ bytes: borrowing SensitiveBytes?) -> String? {
        switch bytes {
        case .some(let bytes): bytes.hex
        case nil: nil
        }
    }

    private static func text(_ bytes: borrowing SensitiveBytes?) -> String? {
        switch bytes {
        case .some(let bytes): bytes.text
        case nil: nil
        }
    }

    @Test func `a card has the data on which its tracks agree`() throws {
        let stripe = MagneticStripe(one: read(Stripe.one), two: read(Stripe.two), three: read(Stripe.three))
        #expect(stripe.faults.isEmpty == true)
        let card = try SwipedCard(stripe)
        #expect(card.pan.lastFour == "0010")
        #expect(card.serviceCode.hasChip == true)
        // Bound first: the macro's closure would consume a part of the card.
        let (two, one) = (Self.hex(card.trackTwo), Self.text(card.trackOne))
        #expect(two == "4761739001010010D351220100000123")
        #expect(one == String(Stripe.one.dropFirst().dropLast()))
    }

    @Test func `one track is sufficient, and the error of the other one is kept`() throws {
        let stripe = MagneticStripe(one: read(Stripe.one), two: .failed(.notDecoded))
        #expect(stripe.faults == [TrackError(.two, .notDecoded)])
        let card = try SwipedCard(stripe)
        #expect((card.trackTwo == nil) == true)
        #expect(card.expiry == CardExpiry(yearAndMonth: 3512))
        #expect(error(two: read(Stripe.two)) == nil)
    }

    @Test func `a card that is not a payment card is rejected with the reason`() {
        #expect(error() == .unreadable([]))
        #expect(
            error(one: .failed(.incomplete), two: .failed(.notDecoded))
                == .unreadable([TrackError(.one, .incomplete), TrackError(.two, .notDecoded)]))
        #expect(error(one: read(Stripe.one), two: .failed(.encrypted)) == .encrypted)
        #expect(
            error(one: read("%B4761739001010028^A/B^3512201?"), two: read(Stripe.two)) == .accountMismatch)
        #expect(error(two: read(";4761739001010011=3512201?")) == .checkDigit)
        #expect(error(two: read(";4761739001010010==201?")) == .noExpiry)
        #expect(error(two: read(";4761739001010010=3512=?")) == .noServiceCode)
    }

    @Test func `contradictory tracks are rejected, so that no chip is overlooked`() {
        let two = ";4761739001010010=3512101?"
        for one in ["%B4761739001010010^A/B^3512201?", "%B4761739001010010^A/B^3612101?"] {
            #expect(error(one: read(one), two: read(two)) == .trackMismatch)
        }
        // What one of them leaves out is no contradiction.
        for one in ["%B4761739001010010^A/B^3512101?", "%B4761739001010010^A/B^3512^?", "%B4761739001010010^A/B^^101?"]
        {
            #expect(error(one: read(one), two: read(two)) == nil)
        }
    }

    @Test func `without a readable track another swipe is requested`() {
        #expect(SwipedCardError.unreadable([]).description.hasSuffix("swipe the card again"))
    }

    @Test func `no error has a digit of the card in it`() {
        var texts: [String] = []
        for text in [
            ";4761739001010011=3512201?", ";4761739001010010==201?", ";4761739001010010=3513201?",
            ";4761739001010010", ";47617390A1010010=3512201?", ";4761739001010010=3512201?1",
        ] {
            let stripe = MagneticStripe(two: read(text))
            texts += stripe.faults.map(\.description)
            if let error = error(two: read(text)) {
                texts += [error.description, "\(error)", String(reflecting: error)]
            }
        }
        #expect(texts.count > 6)
        for text in texts {
            #expect(
                !text.contains("4761") && !text.contains("0010") && !text.contains("3512") && !text.contains("3513"))
        }
    }
}

@Suite struct ServiceCodeTests {
    @Test func `the first digit defines the area and the chip`() throws {
        let expected: [(Int, ServiceCode.Interchange, Bool)] = [
            (101, .international, false), (201, .international, true), (501, .national, false), (601, .national, true),
            (701, .bilateral, false), (901, .test, false), (1, .reserved, false), (301, .reserved, false),
        ]
        for (number, interchange, hasChip) in expected {
            let code = try #require(ServiceCode(number))
            #expect(code.interchange == interchange)
            #expect(code.hasChip == hasChip)
        }
    }

    @Test func `the second digit defines the authorization`() {
        #expect(ServiceCode(101)?.authorization == .normal)
        #expect(ServiceCode(121)?.authorization == .issuer)
        #expect(ServiceCode(141)?.authorization == .issuerUnlessAgreed)
        #expect(ServiceCode(111)?.authorization == .reserved)
    }

    @Test func `the third digit defines services and PIN`() throws {
        let expected: [(ServiceCode.Services, ServiceCode.PIN)] = [
            (.unrestricted, .required), (.unrestricted, .notAsked), (.goodsAndServices, .notAsked), (.atm, .required),
            (.cash, .notAsked), (.goodsAndServices, .required), (.unrestricted, .whereFeasible),
            (.goodsAndServices, .whereFeasible), (.reserved, .notAsked), (.reserved, .notAsked),
        ]
        for (digit, (services, pin)) in expected.enumerated() {
            let code = try #require(ServiceCode(100 + digit))
            #expect(code.services == services)
            #expect(code.pin == pin)
        }
    }

    @Test func `it is written with three digits`() {
        #expect(ServiceCode(1)?.description == "001")
        #expect(ServiceCode(1000) == nil)
        #expect(ServiceCode(-1) == nil)
    }

    @Test func `a card is valid until the last day of its month`() throws {
        let expiry = try #require(CardExpiry(yearAndMonth: 2601))
        #expect(!expiry.isOver(on: CivilDate(year: 2026, month: 1, day: 31)))
        #expect(expiry.isOver(on: CivilDate(year: 2026, month: 2, day: 1)))
        #expect(expiry.isOver(on: CivilDate(year: 2027, month: 1, day: 1)))
        #expect(expiry.encoded == [0x26, 0x01])
        #expect(CardExpiry(yearAndMonth: 4912)?.year == 2049)
        #expect(CardExpiry(yearAndMonth: 5001)?.year == 1950)
        #expect(CardExpiry(yearAndMonth: 2613) == nil)
        #expect(CardExpiry(yearAndMonth: 2600) == nil)
        #expect(CardExpiry(yearAndMonth: -1) == nil)
        #expect(CardExpiry(yearAndMonth: 10_001) == nil)
    }
}
