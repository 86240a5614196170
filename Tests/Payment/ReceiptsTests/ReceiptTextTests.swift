import Payments
import Receipts
import Testing

@Suite("A receipt document as text")
struct ReceiptTextTests {
    @Test func `a tapped card is shown as contactless, with a line for a signature only if one is due`() {
        var card = ReceiptSamples.card
        card.entryMode = .contactless
        for (verification, words) in [
            (CardDetails.CardholderVerification.none, "NO CARDHOLDER VERIFICATION"), (.device, "VERIFIED ON DEVICE"),
        ] {
            card.cardholderVerification = verification
            let text = ReceiptSamples.text(ReceiptDocument(ReceiptSamples.content(card: card), copy: .merchant))
            #expect(text.contains("Entry mode                     CONTACTLESS\n"))
            #expect(text.contains(words) && !text.contains("SIGNATURE"))
        }
        card.cardholderVerification = .signature
        let signed = ReceiptSamples.text(ReceiptDocument(ReceiptSamples.content(card: card), copy: .merchant))
        #expect(signed.contains("CONTACTLESS") && signed.contains("SIGNATURE REQUIRED"))
    }

    @Test func `every part of a document is printed`() {
        #expect(
            ReceiptSamples.text(ReceiptSamples.full) == """
                               Winter sale
                               Corner Shop
                              1 High Street

                Date         2 Jan 2026 12:00:00 UTC+01:00
                Payment                            P000042
                Order                                   #7
                Merchant ID                123456789012345
                Terminal ID                       T0000001
                ------------------------------------------
                                   SALE
                                 APPROVED

                2 × Hoodie                       $1,200.00
                  Size: M
                Cap                                 $40.00
                ------------------------------------------
                Subtotal                         $1,240.00
                Discount (WELCOME)                 -$10.00
                Taxes                                $4.50
                TOTAL                            $1,234.50
                ------------------------------------------
                Application                    VISA CREDIT
                AID                         A0000000031010
                Card                   **** **** **** 0010
                Account type                        Credit
                Entry mode                            CHIP
                Auth code                           A1B2C3
                Response                                00
                TC                        1122334455667788
                ATC                                      3
                TVR                             8000008000
                TSI                                   6800
                Reference                     000000000042

                             VERIFIED BY PIN

                              CUSTOMER COPY
                         Please keep this receipt
                                Thank you

                """)
    }

    @Test func `a declined sale has an approved amount of zero and the reason`() {
        let content = ReceiptSamples.content(.sale, .declined, reason: "insufficient funds", card: nil)
        let text = ReceiptSamples.text(ReceiptDocument(content, copy: .merchant), width: 32)
        #expect(text.contains("DECLINED") && text.contains("insufficient funds") && text.contains("MERCHANT COPY"))
        #expect(text.contains("Amount                 $1,234.50\nApproved amount            $0.00\n"))
        #expect(!text.contains("TOTAL"))
    }

    @Test func `an unknown outcome is never called declined or approved`() {
        let text = ReceiptSamples.text(
            ReceiptDocument(ReceiptSamples.content(.refund, .unknown), copy: .customer))
        #expect(text.contains("OUTCOME UNKNOWN") && text.contains("Do not charge again."))
        #expect(!text.contains("DECLINED") && !text.contains("APPROVED") && !text.contains("REFUNDED"))
    }

    @Test func `only the merchant's copy has a line to sign on, and only when the payment was approved`() {
        for (outcome, copy) in [(ReceiptContent.Outcome.approved, ReceiptCopy.customer), (.declined, .merchant)] {
            var document = ReceiptDocument(ReceiptSamples.content(.sale, outcome), copy: copy)
            document.card?.cardholderVerification = .signature
            #expect(!ReceiptSamples.text(document).contains("Signature _"))
        }
        var document = ReceiptDocument(ReceiptSamples.content(), copy: .merchant)
        document.card?.cardholderVerification = .signature
        #expect(ReceiptSamples.text(document).contains("Signature " + String(repeating: "_", count: 32) + "\n"))
    }

    @Test(arguments: ReceiptCopy.allCases)
    func `before the cardholder signs, no copy says that the signature was verified`(copy: ReceiptCopy) {
        var document = ReceiptDocument(ReceiptSamples.content(), copy: copy)
        document.card?.cardholderVerification = .signature
        let text = ReceiptSamples.text(document)
        #expect(text.contains("SIGNATURE REQUIRED") && !text.contains("VERIFIED"))
        document.card?.cardholderVerification = .offlinePINAndSignature
        #expect(ReceiptSamples.text(document).contains("VERIFIED BY PIN\n"))
        #expect(ReceiptSamples.text(document).contains("SIGNATURE REQUIRED\n"))
    }

    @Test(arguments: [ReceiptContent.Outcome.declined, .canceled, .unknown])
    func `a payment that was not approved says nothing of a verification`(outcome: ReceiptContent.Outcome) {
        for verification in CardDetails.CardholderVerification.allCases {
            var content = ReceiptSamples.content(.sale, outcome)
            content.card?.cardholderVerification = verification
            for copy in ReceiptCopy.allCases {
                let text = ReceiptSamples.text(ReceiptDocument(content, copy: copy))
                #expect(!text.contains("VERIFI") && !text.contains("SIGNATURE"), "\(verification)")
            }
        }
    }

    @Test(arguments: [ReceiptContent.Kind.sale, .refund, .void, .preauthorization])
    func `no customer copy has two blank lines in a row`(kind: ReceiptContent.Kind) {
        for outcome in [ReceiptContent.Outcome.approved, .declined, .canceled, .unknown] {
            for verification in CardDetails.CardholderVerification.allCases {
                var content = ReceiptSamples.content(kind, outcome)
                content.card?.cardholderVerification = verification
                let lines = ReceiptSamples.text(ReceiptDocument(content, copy: .customer))
                    .split(separator: "\n", omittingEmptySubsequences: false)
                let isDouble = zip(lines, lines.dropFirst()).contains {
                    $0.allSatisfy(\.isWhitespace) && $1.allSatisfy(\.isWhitespace)
                }
                #expect(!isDouble, "\(kind) \(outcome) \(verification)")
            }
        }
    }

    @Test func `a reprinted copy is marked`() {
        let content = ReceiptSamples.content()
        #expect(
            ReceiptSamples.text(ReceiptDocument(content, copy: .customer, isDuplicate: true)).contains(
                "*** DUPLICATE ***"))
        #expect(!ReceiptSamples.text(ReceiptDocument(content, copy: .customer)).contains("DUPLICATE"))
    }

    @Test func `long text wraps, and Japanese takes two columns per character`() {
        let content = ReceiptSamples.content(name: "東京駅前のとても長い名前の小さなお店です")
        let lines = ReceiptSamples.text(ReceiptDocument(content, copy: .customer), .japanese, width: 32)
            .split(separator: "\n")
        #expect(lines[0] == "東京駅前のとても長い名前の小さな")
        #expect(lines[1] == "            お店です")
        #expect(lines.contains { $0 == "合計" + String(repeating: " ", count: 19) + "$1,234.50" })
    }

    @Test func `a long name is next to its amount, and a long value next to its name`() {
        var document = ReceiptDocument(ReceiptSamples.content(), copy: .customer)
        document.items = [
            ReceiptItem(
                title: "Organic cotton T-shirt, long sleeves", quantity: "12", amount: "36.50",
                attributes: [ReceiptItem.Attribute(name: "Print", value: "a fox, a bear and two owls")])
        ]
        document.zone = "UTC+01:00"
        let text = ReceiptSamples.text(document, width: 32)
        #expect(
            text.contains(
                """
                12 × Organic cotton       $36.50
                T-shirt, long sleeves
                  Print: a fox, a bear and two
                  owls

                """))
        #expect(text.contains("Date         2 Jan 2026 12:00:00\n                       UTC+01:00\n"))
    }

    @Test func `no line starts with a closing mark`() {
        var document = ReceiptDocument(ReceiptSamples.content(), copy: .customer)
        document.footer = ["十二文字まで一行に入ります。次の行", "あいうえおかきくけこさ「しす」"]
        let lines = ReceiptSamples.text(document, .japanese, width: 26).split(separator: "\n")
            .map { $0.drop { $0 == " " } }
        #expect(lines.contains("十二文字まで一行に入りま"))
        #expect(lines.contains { $0.hasPrefix("す。") })
        #expect(!lines.contains { $0.hasPrefix("。") || $0.hasPrefix("」") })
    }

    @Test func `control characters and direction marks are removed`() {
        let content = ReceiptSamples.content(name: "A\u{1B}[31m\u{202E}B\tC\u{0}\nD\u{9B}")
        let text = ReceiptSamples.text(ReceiptDocument(content, copy: .customer))
        #expect(text.contains("A[31mB C D"))
        #expect(text.unicodeScalars.allSatisfy { $0 == "\n" || !(0x00...0x1F).contains($0.value) })
    }

    @Test func `ten thousand items are ten thousand lines`() {
        let text = ReceiptSamples.text(ReceiptSamples.long(10_000))
        #expect(text.split(separator: "\n").count(where: { $0.hasPrefix("Item ") }) == 10_000)
    }

    @Test func `a payment without a card has a receipt without card data`() {
        let content = ReceiptSamples.content(.sale, .canceled, card: nil)
        let text = ReceiptSamples.text(ReceiptDocument(content, copy: .customer))
        #expect(text.contains("SALE\n") && text.contains("CANCELLED"))
        #expect(!text.contains("AID") && !text.contains("Card"))
    }

    @Test(arguments: [10, 24, 32, 42, 48, 80])
    func `no line is wider than the paper`(width: Int) {
        var content = ReceiptSamples.content(
            .sale, .declined, name: "A shop with a name that is much longer than any roll of paper is wide",
            reason: "the issuer cannot answer now, try again later, or use another card")
        content.card?.applicationName = "AN APPLICATION WITH A LONG NAME"
        for copy in ReceiptCopy.allCases {
            for line in ReceiptSamples.text(ReceiptDocument(content, copy: copy), width: width).split(separator: "\n") {
                #expect(line.count <= max(24, width))
            }
        }
    }

    @Test func `control characters from a card never reach the printer`() {
        var content = ReceiptSamples.content()
        content.card?.applicationName = "VISA\u{1B}p0\u{07}\u{9B}1m"
        let text = ReceiptSamples.text(ReceiptDocument(content, copy: .customer))
        #expect(text.unicodeScalars.allSatisfy { $0 == "\n" || ($0.value >= 0x20 && $0.value < 0x7F) })
        #expect(text.contains("VISAp01m"))
    }

    @Test func `the store and its order number are on the receipt`() {
        var content = ReceiptSamples.content()
        (content.store, content.orderNumber, content.zone) = ("Corner Shop online", "A-1007", "UTC-05:00")
        let text = ReceiptSamples.text(ReceiptDocument(content, copy: .customer))
        #expect(
            text.contains("Store                   Corner Shop online\nOrder                              #A-1007\n"))
        #expect(text.contains("2 Jan 2026 12:00:00 UTC-05:00"))
    }

    @Test func `a shop's style adds lines and selects the code`() {
        let style = ReceiptStyle(header: ["Winter sale"], footer: ["Thank you"], code: .none, region: .canada)
        let document = ReceiptDocument(ReceiptSamples.content(), copy: .customer).styled(by: style)
        #expect((document.header, document.footer) == (["Winter sale"], ["Thank you"]))
        #expect(document.code == nil && document.region == .canada)
        #expect(document.styled(by: ReceiptStyle(code: .barcode)).codeForm == .barcode)
        #expect(document.styled(by: ReceiptStyle()).code == "P000042")
    }
}
