import Testing

@testable import EMV

struct ProcessingRestrictionsTests {
    private func restrictions() throws -> ProcessingRestrictions {
        ProcessingRestrictions(
            cardVersion: 0x0096, terminalVersions: [0x008C, 0x0096], usageControl: nil, issuerCountry: 840,
            terminalCountry: 840, isATM: false, kind: .goodsOrServices, hasCashback: false,
            transactionDate: try #require(CardDate(bytes: bytes("260102"))), effectiveDate: nil,
            expirationDate: try #require(CardDate(bytes: bytes("260131"))))
    }

    @Test func `a card without restrictions passes`() throws { #expect(try restrictions().evaluate().isEmpty) }

    @Test func `versions are compared when the card has one`() throws {
        var input = try restrictions()
        input.cardVersion = 0x0097
        #expect(input.evaluate() == .versionsDiffer)
        input.cardVersion = nil
        #expect(input.evaluate().isEmpty)
    }

    @Test func `dates include the first and the last day`() throws {
        var input = try restrictions()
        input.expirationDate = try #require(CardDate(bytes: bytes("260101")))
        #expect(input.evaluate() == .expiredApplication)
        input.expirationDate = input.transactionDate
        input.effectiveDate = input.transactionDate
        #expect(input.evaluate().isEmpty)
        input.effectiveDate = CardDate(bytes: bytes("260103"))
        #expect(input.evaluate() == .applicationNotYetEffective)
    }

    struct Usage: Sendable {
        var control: String
        var isDomestic = true
        var isATM = false
        var kind = TransactionRequest.Kind.goodsOrServices
        var cashback = false
        var allowed: Bool
    }

    @Test(arguments: [
        Usage(control: "FFC0", allowed: true),
        Usage(control: "FE00", allowed: false),  // not outside ATMs
        Usage(control: "FD00", isATM: true, kind: .cash, allowed: false),
        Usage(control: "8200", isATM: true, kind: .cash, allowed: true),
        Usage(control: "2100", allowed: true),  // domestic goods
        Usage(control: "0900", allowed: true),  // domestic services
        Usage(control: "8100", allowed: false),
        Usage(control: "2900", isDomestic: false, allowed: false),
        Usage(control: "1100", isDomestic: false, allowed: true),
        Usage(control: "0500", isDomestic: false, allowed: true),
        Usage(control: "8100", kind: .cash, allowed: true),
        Usage(control: "4100", kind: .cash, allowed: false),
        Usage(control: "4100", isDomestic: false, kind: .cash, allowed: true),
        Usage(control: "2180", kind: .cashback, cashback: true, allowed: true),
        Usage(control: "2140", kind: .cashback, cashback: true, allowed: false),
        Usage(control: "1140", isDomestic: false, cashback: true, allowed: true),
        Usage(control: "0180", kind: .cashback, cashback: true, allowed: false),
        Usage(control: "0100", kind: .refund, allowed: true),
    ])
    func `usage control says what the card may be used for`(usage: Usage) throws {
        var input = try restrictions()
        input.usageControl = ApplicationUsageControl(bytes: bytes(usage.control))
        input.issuerCountry = usage.isDomestic ? 840 : 276
        (input.isATM, input.kind, input.hasCashback) = (usage.isATM, usage.kind, usage.cashback)
        #expect(input.evaluate() == (usage.allowed ? [] : .serviceNotAllowed))
    }

    @Test func `without the issuer's country only ATM or not is checked`() throws {
        var input = try restrictions()
        input.usageControl = ApplicationUsageControl(bytes: bytes("0100"))
        input.issuerCountry = nil
        #expect(input.evaluate().isEmpty)
        input.isATM = true
        #expect(input.evaluate() == .serviceNotAllowed)
    }
}
