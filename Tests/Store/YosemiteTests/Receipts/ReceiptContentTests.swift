import Money
import Networking
import Payments
import Receipts
import SimulatedTime
import Simulator
import Storage
import Testing

@testable import Yosemite

/// What a whole payment leaves on its receipt.
@Suite(.simulatedTime, .timeLimit(.minutes(10))) struct ReceiptContentTests {
    private func receipt(
        _ till: TestTill, _ payment: Payment, _ kind: ReceiptContent.Kind? = nil
    ) async throws -> ReceiptContent {
        let stored: StoredReceipt = try await till.receipt {
            .loadReceipt(paymentID: payment.id, kind: kind, onCompletion: $0)
        }
        return stored.content
    }

    private func paper(
        _ content: ReceiptContent, _ copy: ReceiptCopy = .customer, region: ReceiptRegion = .other,
        in locale: ReceiptLocale = .english
    ) -> String {
        let document = ReceiptDocument(content, copy: copy).styled(by: ReceiptStyle(region: region))
        return PlainTextRenderer(width: 42).render(ReceiptComposer(locale: locale).compose(document))
    }

    private func collect(_ till: TestTill, _ request: PaymentRequest) async throws -> Payment {
        try await till.connect()
        return try await till.perform { done in
            .collectPayment(
                request: request, onCardReaderMessage: { till.take($0) { _ in } }, onProcessingCompletion: { _ in },
                onCompletion: done)
        }
    }

    @Test func `a chip sale has its time zone, issuer application data, and every EMV field`() async throws {
        let till = try TestTill()
        let content = try await receipt(till, try await till.pay())
        #expect(content.zone?.hasPrefix("UTC") == true)
        let card = try #require(content.card)
        #expect(card.issuerApplicationData?.isEmpty == false)
        #expect(card.accountType == nil)
        let text = paper(content, region: .unitedStates)
        #expect(text.contains("IAD"))
        #expect(text.contains(try #require(card.issuerApplicationData)))
        #expect(!paper(content).contains("IAD"))
    }

    @Test(
        arguments: [
            ("frde", [.english, .german], .german), ("DEFR", [.english, .german], .german),
            ("ja", [.english, .german], nil),
            ("de", [], nil), (nil, [.german], nil),
        ] as [(String?, [ReceiptLanguage], ReceiptLanguage?)])
    func `the card chooses among the configured languages, and the choice is kept`(
        preferred: String?, configured: [ReceiptLanguage], expected: ReceiptLanguage?
    ) async throws {
        let till = try TestTill { plan in
            plan.languages = configured
            plan.change = { $0.applications[0].languages = preferred }
        }
        let payment = try await till.pay()
        #expect(payment.card?.languages == nil)
        let content = try await receipt(till, payment)
        #expect(content.language == expected)
        #expect(content.card?.languages == nil)
        // However the till is configured later.
        let style = ReceiptStyle(locale: ReceiptLocale(.french))
        #expect(style.speaking(content.language).locale == ReceiptLocale(expected ?? .french))
        var fixed = style
        fixed.isLocaleFixed = true
        #expect(fixed.speaking(content.language).locale == ReceiptLocale(.french))
    }

    @Test func `a tip is between the price and the total`() async throws {
        let till = try TestTill()
        let payment = try await collect(till, PaymentRequest(amount: try usd("12.50"), tip: try usd("2.50")))
        let text = paper(try await receipt(till, payment))
        #expect(
            text.contains(
                "Subtotal                            $10.00\nTip                                  $2.50\nTOTAL"))
    }

    @Test(arguments: [(AccountType.savings, "Savings"), (.checking, "Cheque/debit"), (.credit, "Credit")])
    func `the selected account type is in the card details and on paper`(
        type: AccountType, word: String
    ) async throws {
        let till = try TestTill()
        let payment = try await collect(till, PaymentRequest(amount: try usd("12.50"), accountType: type))
        let content = try await receipt(till, payment)
        #expect(content.card?.accountType == type)
        #expect(paper(content, region: .canada).contains("Account type"))
        #expect(paper(content, region: .canada).contains(word + "\n"))
        #expect(!paper(content, region: .unitedStates).contains("Account type"))
    }

    @Test func `a preferred name uses the code table of its card`() async throws {
        let till = try TestTill { plan in plan.change = { $0.applications[0].preferredName = "CARTE BLÉUE Ñ" } }
        let content = try await receipt(till, try await till.pay())
        #expect(content.card?.applicationName == "CARTE BLÉUE Ñ")
        #expect(paper(content).contains("CARTE BLÉUE Ñ"))
    }

    @Test func `a PIN that is wrong too often is declined with an approved amount of zero`() async throws {
        let till = try TestTill("insufficient-funds")
        let text = paper(try await receipt(till, try await till.pay()))
        #expect(text.contains("DECLINED") && text.contains("Approved amount                      $0.00"))
    }

    @Test(arguments: ReceiptCopy.allCases)
    func `an issuer that cannot be reached is told in the receipt's language, without the program's words`(
        copy: ReceiptCopy
    ) async throws {
        let till = try TestTill { $0.faults = [IssuerFaultRule(.notReachable)] }
        let content = try await receipt(till, try await till.pay())
        #expect(content.reasonCode == .issuerUnreachable)
        #expect(content.reason?.contains("the simulated issuer is switched off") == true)
        let german = paper(content, copy, in: .german)
        #expect(german.contains("Der Kartenherausgeber war nicht") && !german.contains("issuer"))
        #expect(!paper(content, copy).contains("simulated"))
    }

    @Test func `a decline of the issuer has its reason in the receipt's language`() async throws {
        let till = try TestTill("insufficient-funds")
        let content = try await receipt(till, try await till.pay())
        #expect(content.reasonCode == .insufficientFunds)
        #expect(paper(content, in: .japanese).contains("残高不足です"))
    }

    @Test func `a reversed approval is void, and its amount was not charged`() async throws {
        let till = try TestTill("removed-after-approval")
        let payment = try await till.pay("12.50")
        #expect(payment.state == .reversed)
        let content = try await receipt(till, payment)
        #expect((content.kind, content.outcome) == (.void, .approved))
        let text = paper(content)
        #expect(text.contains("VOID\n") && text.contains("Nothing is charged."))
        #expect(text.contains("VOIDED                              $12.50"))
        #expect(!text.contains("TOTAL"))
        #expect(try await till.booksAgree())
    }

    @Test func `a card that declines after the host's approval is a decline`() async throws {
        let till = try TestTill("card-declines-after-approval")
        let content = try await receipt(till, try await till.pay())
        #expect((content.kind, content.outcome) == (.sale, .declined))
    }

    // MARK: Refunds

    @Test func `a full refund lists the items, and a partial one does not`() async throws {
        let till = try TestTill()
        let sale = try await collect(till, PaymentRequest(amount: try usd("12.50"), tip: try usd("2.50")))
        _ = try await till.refund(sale, "5.00")
        let part = try await receipt(till, sale, .refund)
        #expect(part.breakdown == nil && part.amount == "5.00")

        let other = try TestTill()
        let whole = try await collect(other, PaymentRequest(amount: try usd("12.50"), tip: try usd("2.50")))
        _ = try await other.refund(whole)
        let content = try await receipt(other, whole, .refund)
        #expect(content.breakdown == (try await receipt(other, whole, .sale)).breakdown)
        let text = paper(content)
        #expect(text.contains("REFUND\n") && text.contains("REFUNDED                            $12.50"))
        #expect(!text.contains("VERIFIED") && !text.contains("VERIFICATION"))
    }

    @Test func `a refund goes to the same account type, with its own authorization and no cryptogram`() async throws {
        let till = try TestTill()
        let sale = try await collect(till, PaymentRequest(amount: try usd("12.50"), accountType: .savings))
        _ = try await till.refund(sale)
        let card = try #require(try await receipt(till, sale, .refund).card)
        #expect(card.accountType == .savings && card.lastFour == "0010" && card.aid == "A0000000031010")
        #expect(card.applicationCryptogram == nil && card.issuerApplicationData == nil)
        #expect(card.terminalVerificationResults == nil && card.applicationTransactionCounter == nil)
        #expect(card.authorizationCode != (try await receipt(till, sale, .sale)).card?.authorizationCode)
    }

    // MARK: Orders

    @Test func `the payment and the refund of an order list its items`() async throws {
        let store = StoreSiteNetwork()
        let order = try await store.makeOrder("12.50") {
            $0.fees?.append(
                OrderChanges.Fee(name: "Tip", total: ExactDecimal(coefficient: 150, scale: 2), isTaxed: false))
        }
        let till = try TestTill(store)
        let payment = try await till.pay(order: order.id)
        let content = try await receipt(till, payment)
        #expect(content.amount == "14.00" && content.breakdownNote == nil)
        #expect(content.breakdown?.totals.map(\.kind) == [.fees, .tip])
        #expect(paper(content).contains("Fees (Goods)                        $12.50\nTip"))
        _ = try await till.refund(payment)
        #expect(try await receipt(till, payment, .refund).breakdown == content.breakdown)
    }
}
