import Determinism
import MagneticStripe
import Testing

@Suite struct ServiceCodeTests {
    @Test func `the first digit says where, and whether there is a chip`() throws {
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

    @Test func `the second digit says who authorises`() {
        #expect(ServiceCode(101)?.authorization == .normal)
        #expect(ServiceCode(121)?.authorization == .issuer)
        #expect(ServiceCode(141)?.authorization == .issuerUnlessAgreed)
        #expect(ServiceCode(111)?.authorization == .reserved)
    }

    @Test func `the third digit says what for, and whether with a PIN`() throws {
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

    @Test func `it is written with three digits, and has no more`() {
        #expect(ServiceCode(1)?.description == "001")
        #expect(ServiceCode(1000) == nil)
        #expect(ServiceCode(-1) == nil)
    }

    @Test func `a card may be used to the last day of its month`() throws {
        let expiry = try #require(StripeExpiry(yearAndMonth: 2601))
        #expect(!expiry.isOver(on: CivilDate(year: 2026, month: 1, day: 31)))
        #expect(expiry.isOver(on: CivilDate(year: 2026, month: 2, day: 1)))
        #expect(expiry.isOver(on: CivilDate(year: 2027, month: 1, day: 1)))
        #expect(expiry.encoded == [0x26, 0x01])
        #expect(StripeExpiry(yearAndMonth: 4912)?.year == 2049)
        #expect(StripeExpiry(yearAndMonth: 5001)?.year == 1950)
        #expect(StripeExpiry(yearAndMonth: 2613) == nil)
        #expect(StripeExpiry(yearAndMonth: 2600) == nil)
        #expect(StripeExpiry(yearAndMonth: -1) == nil)
        #expect(StripeExpiry(yearAndMonth: 10_001) == nil)
    }
}
