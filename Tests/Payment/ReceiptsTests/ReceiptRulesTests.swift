import Payments
import Receipts
import Testing

@Suite("The rules of brands and regions")
struct ReceiptRulesTests {
    /// A chip sale with everything that any rule requires.
    private func complete(
        _ brand: String = "visa", _ region: ReceiptRegion = .other, _ copy: ReceiptCopy = .merchant,
        kind: ReceiptContent.Kind = .sale, outcome: ReceiptContent.Outcome = .approved
    ) -> ReceiptDocument {
        var content = ReceiptSamples.content(kind, outcome)
        content.merchant.lines.append("CNPJ 11.222.333/0001-81")
        content.card?.brand = brand
        content.card?.accountType = .checking
        content.card?.issuerApplicationData = "06010A03A00000"
        content.breakdown = ReceiptBreakdown(
            items: [ReceiptItem(title: "Tea", quantity: "1", amount: content.amount)], totals: [])
        return ReceiptDocument(content, copy: copy).styled(by: ReceiptStyle(region: region))
    }

    private func fields(_ document: ReceiptDocument) -> [ReceiptField] {
        ReceiptRules.check(document).filter(\.isFault).map(\.field)
    }

    private static let brands = [
        "visa", "mastercard", "americanExpress", "discover", "jcb", "unionPay", "interac", "girocard",
        "eftposAustralia", "unknown",
    ]

    @Test(arguments: ReceiptRulesTests.brands.filter { $0 != "unknown" }, ReceiptRegion.allCases)
    func `accept a complete receipt`(brand: String, region: ReceiptRegion) {
        for copy in ReceiptCopy.allCases {
            for outcome in ReceiptContent.Outcome.allCases {
                #expect(ReceiptRules.check(complete(brand, region, copy, outcome: outcome)) == [])
            }
        }
    }

    /// A receipt that lacks something, or has what it must not have.
    struct Lack: Sendable, CustomTestStringConvertible {
        var brand: String
        var region: ReceiptRegion
        var field: ReceiptField
        var change: @Sendable (inout ReceiptDocument) -> Void

        init(
            _ brand: String, _ region: ReceiptRegion, _ field: ReceiptField,
            change: @escaping @Sendable (inout ReceiptDocument) -> Void
        ) {
            (self.brand, self.region, self.field, self.change) = (brand, region, field, change)
        }

        var testDescription: String { "\(brand) \(region.rawValue) \(field.rawValue)" }
    }

    private static let lacks: [Lack] = [
        Lack("visa", .other, .merchantName) { $0.merchant.name = " " },
        Lack("visa", .other, .merchantAddress) { $0.merchant.lines = [] },
        Lack("visa", .other, .merchantID) { $0.merchant.merchantID = "" },
        Lack("visa", .other, .terminalID) { $0.merchant.terminalID = "" },
        Lack("visa", .other, .dateTime) { $0.date = "" },
        Lack("visa", .other, .amount) { $0.currency = "" },
        Lack("jcb", .other, .cardNumber) { $0.card?.lastFour = nil },
        Lack("unionPay", .japan, .authorizationCode) { $0.card?.authorizationCode = nil },
        Lack("girocard", .other, .applicationID) { $0.card?.aid = nil },
        Lack("visa", .other, .applicationName) { $0.card?.applicationName = nil },
        Lack("mastercard", .other, .applicationName) { $0.card?.applicationName = nil },
        Lack("discover", .other, .applicationName) { $0.card?.applicationName = nil },
        Lack("americanExpress", .other, .applicationName) { $0.card?.applicationName = nil },
        Lack("girocard", .europeanUnion, .applicationName) { $0.card?.applicationName = nil },
        Lack("visa", .unitedStates, .terminalVerificationResults) { $0.card?.terminalVerificationResults = nil },
        Lack("visa", .unitedStates, .issuerApplicationData) { $0.card?.issuerApplicationData = nil },
        Lack("visa", .canada, .issuerApplicationData) { $0.card?.issuerApplicationData = nil },
        Lack("visa", .canada, .hostReference) { $0.card?.hostReference = nil },
        Lack("interac", .canada, .chosenAccount) { $0.card?.accountType = nil },
        Lack("eftposAustralia", .australia, .chosenAccount) { $0.card?.accountType = nil },
        Lack("visa", .unitedStates, .cardBrand) { $0.card?.brand = "unknown" },
        Lack("visa", .unitedKingdom, .cardBrand) { $0.card?.brand = "unknown" },
        Lack("visa", .europeanUnion, .cardBrand) { $0.card?.brand = "unknown" },
        Lack("visa", .brazil, .businessNumber) { $0.merchant.lines = ["Rua 1"] },
        Lack("visa", .brazil, .businessNumber) { $0.merchant.lines = ["CNPJ 11.222.333/0001-82"] },
        Lack("visa", .other, .fullCardNumber) { $0.footer = ["card 4761739001010010"] },
        Lack("visa", .other, .fullCardNumber) { $0.card?.lastFour = "1010010" },
        Lack("visa", .unitedStates, .fullCardNumber) { $0.reason = "4761 7390 0101 0010 refused" },
        Lack("visa", .other, .expirationDate) { $0.header = ["Card exp. 12/29"] },
    ]

    @Test(arguments: ReceiptRulesTests.lacks)
    func `report missing and forbidden parts`(lack: Lack) throws {
        for copy in ReceiptCopy.allCases {
            var document = complete(lack.brand, lack.region, copy)
            lack.change(&document)
            let finding = try #require(ReceiptRules.check(document).first { $0.field == lack.field })
            #expect(fields(document) == [lack.field])
            #expect(finding.copy == copy && finding.isFault)
            #expect(!finding.origin.isEmpty && !finding.remedy.isEmpty && !finding.source.title.isEmpty)
            #expect((finding.problem == .forbidden) == [.fullCardNumber, .expirationDate].contains(lack.field))
        }
    }

    @Test func `do not require parts of other regions`() {
        var document = complete("visa", .europeanUnion)
        document.card?.issuerApplicationData = nil
        document.card?.hostReference = nil
        document.merchant.lines = ["1 High Street"]
        #expect(fields(document) == [])
    }

    @Test func `only recommend optional parts`() throws {
        var document = complete("americanExpress")
        document.card?.applicationCryptogram = nil
        (document.items, document.totals) = ([], [])
        let findings = ReceiptRules.check(document)
        #expect(findings.map(\.field) == [.items, .applicationCryptogram])
        #expect(findings.allSatisfy { !$0.isFault && $0.demand == .recommended })
    }

    @Test func `require no authorization code for an offline approval or a refund`() {
        var offline = complete("visa")
        offline.card?.authorizationCode = nil
        offline.card?.authorizationResponseCode = "Y1"
        #expect(fields(offline) == [])
        var refund = complete("visa", kind: .refund)
        refund.card?.authorizationCode = nil
        refund.card?.terminalVerificationResults = nil
        #expect(fields(refund) == [])
    }

    @Test func `require zero as the amount of a decline`() {
        var document = complete(outcome: .declined)
        #expect(fields(document) == [])
        document.approvedAmount = "12.50"
        #expect(fields(document) == [.approvedAmount])
    }

    @Test func `require no card data without a card`() {
        var content = ReceiptSamples.content(.sale, .canceled, card: nil)
        content.orderID = nil
        for region in ReceiptRegion.allCases where region != .brazil {
            #expect(
                ReceiptRules.check(ReceiptDocument(content, copy: .customer).styled(by: ReceiptStyle(region: region)))
                    == [])
        }
    }

    // MARK: What they let be printed

    private func text(_ document: ReceiptDocument) -> String { ReceiptSamples.text(document) }

    /// A line of 42 columns.
    private func row(_ name: String, _ value: String) -> String {
        name + String(repeating: " ", count: 42 - name.count - value.count) + value + "\n"
    }

    @Test func `Interac in Canada is a transaction record in both languages, of an account`() {
        let canada = text(complete("interac", .canada))
        #expect(canada.contains("TRANSACTION RECORD / RELEVÉ DE TRANSACTION"))
        #expect(canada.contains(row("Account type", "Cheque/debit")))
        #expect(canada.contains(row("Card brand", "Interac")))
        #expect(!text(complete("interac", .other)).contains("TRANSACTION RECORD"))
        #expect(!text(complete("visa", .canada)).contains("TRANSACTION RECORD"))
    }

    @Test func `the account type is printed outside the United States, also the default`() {
        var document = complete("visa", .europeanUnion)
        #expect(text(document).contains("Account type"))
        document.card?.accountType = nil
        #expect(text(document).contains(row("Account type", "Default")))
        document.region = .unitedStates
        #expect(!text(document).contains("Account type"))
        document.card?.accountType = .credit
        #expect(!text(document).contains("Account type"))
    }

    @Test func `issuer application data is printed if a rule requires it`() {
        #expect(text(complete("visa", .unitedStates)).contains("IAD                         06010A03A00000"))
        #expect(!text(complete("visa", .unitedKingdom)).contains("IAD"))
    }

    @Test(arguments: ReceiptRegion.allCases)
    func `a signature line is on the merchant's copy in every region`(region: ReceiptRegion) {
        var document = complete("visa", region)
        document.card?.cardholderVerification = .signature
        #expect(text(document).contains("Signature ___") && ReceiptRules.check(document) == [])
        document.copy = .customer
        #expect(!text(document).contains("Signature ___") && ReceiptRules.check(document) == [])
    }

    // MARK: Void

    @Test func `a void says that nothing is charged, in every language`() {
        for locale in ReceiptLocale.all {
            let document = ReceiptDocument(ReceiptSamples.content(.void), copy: .customer)
            let sale = ReceiptDocument(ReceiptSamples.content(.sale), copy: .customer)
            let composer = ReceiptComposer(locale: locale)
            #expect(composer.compose(document).count == composer.compose(sale).count + 1)
        }
        let text = text(ReceiptDocument(ReceiptSamples.content(.void), copy: .customer))
        #expect(text.contains("Nothing is charged.") && text.contains("VOIDED                           $1,234.50"))
    }
}
