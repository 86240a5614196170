import Hardware
import Testing

@Suite("A receipt as text")
struct ReceiptTextTests {
    static let card = CardPresentTransactionDetails(
        brand: "visa", lastFour: "0010", entryMode: .chip, cardholderVerification: .offlinePIN,
        aid: "A0000000031010", applicationName: "VISA CREDIT", terminalVerificationResults: "8000008000",
        transactionStatusInformation: "6800", applicationCryptogram: "1122334455667788", cryptogramType: "TC",
        applicationTransactionCounter: 3, authorizationResponseCode: "00", authorizationCode: "A1B2C3",
        hostReference: "000000000042")

    static func content(
        _ outcome: ReceiptContent.Outcome, reason: String? = nil, card: CardPresentTransactionDetails? = card
    ) -> ReceiptContent {
        ReceiptContent(
            kind: .sale, outcome: outcome,
            merchant: Merchant(
                name: "Corner Shop", lines: ["1 High Street"], merchantID: "123456789012345", terminalID: "T0000001"),
            payment: "P000042", orderID: 7, date: "2026-01-02 12:00:00", amount: "12.50",
            approvedAmount: outcome == .approved ? "12.50" : "0.00", currency: "USD", reason: reason, card: card)
    }

    // EMV Book 4 §11: the receipt tells application, identifier and how the cardholder was verified
    @Test func `an approved sale carries every field that the schemes ask for`() {
        let text = ReceiptTextRenderer(width: 40).render(Self.content(.approved), copy: .customer)
        #expect(
            text == """
                              Corner Shop
                             1 High Street

                2026-01-02 12:00:00          No. P000042
                MID 123456789012345         TID T0000001
                Order                                 #7
                ----------------------------------------
                             SALE APPROVED

                Amount                         12.50 USD
                TOTAL                          12.50 USD
                ----------------------------------------
                Application                  VISA CREDIT
                AID                       A0000000031010
                Card                 **** **** **** 0010
                Entry mode                          CHIP
                Auth code                         A1B2C3
                Response                              00
                TC                      1122334455667788
                ATC                                    3
                TVR                           8000008000
                TSI                                 6800
                Reference                   000000000042

                            VERIFIED BY PIN

                             CUSTOMER COPY
                        Please keep this receipt

                """)
    }

    @Test func `a declined sale says so, with zero approved and the reason`() {
        let text = ReceiptTextRenderer().render(Self.content(.declined, reason: "insufficient funds"), copy: .merchant)
        #expect(text.contains("SALE DECLINED"))
        #expect(text.contains("insufficient funds"))
        #expect(text.contains("Approved amount                 0.00 USD"))
        #expect(!text.contains("TOTAL"))
    }

    @Test func `an unknown outcome is never called declined or approved`() {
        let text = ReceiptTextRenderer().render(Self.content(.unknown), copy: .customer)
        #expect(text.contains("OUTCOME UNKNOWN"))
        #expect(text.contains("Do not charge again."))
        #expect(!text.contains("DECLINED"))
        #expect(!text.contains("APPROVED"))
    }

    @Test func `only the merchant's copy has a line to sign on`() {
        var card = Self.card
        card.cardholderVerification = .signature
        let renderer = ReceiptTextRenderer()
        #expect(renderer.render(Self.content(.approved, card: card), copy: .merchant).contains("Signature____"))
        #expect(!renderer.render(Self.content(.approved, card: card), copy: .customer).contains("Signature____"))
        #expect(!renderer.render(Self.content(.declined, card: card), copy: .merchant).contains("Signature____"))
    }

    @Test func `a second print is marked as a duplicate`() {
        let renderer = ReceiptTextRenderer()
        #expect(renderer.render(Self.content(.approved), copy: .customer, isDuplicate: true).contains("DUPLICATE"))
        #expect(!renderer.render(Self.content(.approved), copy: .customer).contains("DUPLICATE"))
    }

    @Test func `a payment without a card has a receipt without a card`() {
        let text = ReceiptTextRenderer().render(Self.content(.cancelled, card: nil), copy: .customer)
        #expect(text.contains("SALE CANCELLED"))
        #expect(!text.contains("AID"))
    }

    @Test(arguments: [10, 24, 32, 40, 48])
    func `no line is wider than the paper`(width: Int) {
        var content = Self.content(
            .declined, reason: "the issuer cannot answer now, try again later, or use another card")
        content.merchant.name = "A shop with a name that is much longer than any roll of paper is wide"
        content.card?.applicationName = "AN APPLICATION WITH A LONG NAME"
        for copy in ReceiptCopy.allCases {
            for line in ReceiptTextRenderer(width: width).render(content, copy: copy).split(separator: "\n") {
                #expect(line.count <= max(24, width))
            }
        }
    }

    @Test func `control characters from a card never reach the printer`() {
        var content = Self.content(.approved)
        content.card?.applicationName = "VISA\u{1B}p0\u{07}\u{9B}1m"
        let text = ReceiptTextRenderer().render(content, copy: .customer)
        #expect(text.unicodeScalars.allSatisfy { $0 == "\n" || ($0.value >= 0x20 && $0.value < 0x7F) })
        #expect(text.contains("VISAp01m"))
    }
}
