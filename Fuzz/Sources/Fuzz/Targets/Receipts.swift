import Determinism
import FoundationEssentials
import Mail
import Payments
import Printing
import Receipts

extension FuzzTarget {
    /// Contents of receipts, and mail addresses.
    static let receiptsAndMail: [FuzzTarget] = [receipts, mail]

    /// A card number of which receipts may only show the end.
    private static let canary = "4761735829463787"

    /// The first byte selects language, copy, and width; the rest is a receipt as stored in the journal, in JSON.
    private static let receipts = FuzzTarget(
        "receipts", longestInput: 4096,
        seeds: { try SampleReceipts.all().enumerated().map { [UInt8($0.offset)] + $0.element } },
        run: { bytes in
            // An input with the number itself, in a field without free text, proves nothing.
            guard let first = bytes.first, !tells(String(decoding: bytes, as: UTF8.self)) else { return }
            var content = try JSONDecoder().decode(ReceiptContent.self, from: Data(bytes.dropFirst()))
            content.merchant.name += canary
            content.reason = (content.reason ?? "") + canary
            let locale = ReceiptLocale.all[Int(first) % ReceiptLocale.all.count]
            let width = 24 + Int(first >> 3) * 2
            let document = ReceiptDocument(
                content, copy: first & 1 == 0 ? .customer : .merchant, isDuplicate: first & 2 != 0
            ).styled(by: ReceiptStyle(header: [content.payment], code: first & 4 == 0 ? .qr : .none))
            let composer = ReceiptComposer(locale: locale)
            let (blocks, title) = (composer.compose(document), composer.title(document))
            let text = PlainTextRenderer(width: width).render(blocks)
            check(text, width: width)
            conceal(text)
            conceal(try JSONRenderer().render(document))
            conceal(title)
            // A barcode may be rejected because its text is too long for the paper.
            do throws(ReceiptError) {
                conceal(try HTMLRenderer(locale: locale).render(blocks, title: title))
                check(try TerminalRenderer(width: width, isStyled: false).render(blocks), width: width + 4)
                for family in PrinterFamily.allCases {
                    let bytes = try ESCPOSRenderer(family: family, width: width, locale: locale).render(blocks).bytes
                    conceal(String(decoding: bytes, as: UTF8.self))
                }
                _ = try PictureRenderer(locale: locale, paper: .roll58).pdf(blocks, title: title, date: document.date)
            } catch {
                hold(!error.description.isEmpty, "an error says what is wrong")
            }
        })

    private static let mail = FuzzTarget(
        "mail-address", longestInput: 400,
        seeds: {
            [
                "ada@shop.example", "\"Lovelace, Ada\" <ada@shop.example>", "Bücher <till@xn--bcher-kva.example>",
                "\"a\\\"b\"@[192.0.2.1]", "<a.b+c@x>", "a@b\r\nBcc: eve@x", "a..b@-x-.y",
            ].map { Array($0.utf8) }
        },
        run: { bytes in
            let text = String(decoding: bytes, as: UTF8.self)
            do throws(MailAddressError) {
                let mailbox = try Mailbox(text)
                let address = mailbox.address.description
                same(try MailAddress(address), mailbox.address, "an address is read as it is written")
                hold(address.utf8.allSatisfy { (0x20...0x7E).contains($0) }, "an address is visible ASCII")
                let message = MessageEncoder(time: VirtualTimeSource(), random: SeededRandomSource(seed: 1)).encode(
                    MailMessage(
                        from: mailbox, to: [mailbox], subject: text, text: text, page: text,
                        attachments: [MailAttachment(name: text, type: text, bytes: bytes)]))
                check(message)
            } catch {
                hold((1...text.unicodeScalars.count + 1).contains(error.position), "an error has a place in the text")
                hold(error.description.utf8.allSatisfy { $0 >= 0x20 }, "an error is one line")
            }
        })

    /// Short lines of ASCII that end with CR and LF, and no injected header fields.
    private static func check(_ message: EncodedMail) {
        let text = String(decoding: message.bytes, as: UTF8.self)
        hold(message.bytes.allSatisfy { (0x20...0x7E).contains($0) || $0 == 0x0D || $0 == 0x0A }, "a message is ASCII")
        let lines = text.split(separator: "\r\n", omittingEmptySubsequences: false)
        hold(
            lines.allSatisfy { $0.utf8.count <= 998 && !$0.utf8.contains(0x0A) && !$0.utf8.contains(0x0D) },
            "lines are short, and end with CR and LF")
        let names = lines.prefix { !$0.isEmpty }.filter { !$0.hasPrefix(" ") }.map { $0.prefix { $0 != ":" } }
        same(
            names,
            ["Date", "From", "To", "Subject", "Message-ID", "Auto-Submitted", "MIME-Version", "Content-Type"],
            "a head has the fields that it should have")
    }

    private static func check(_ text: String, width: Int) {
        for line in text.split(separator: "\n") {
            hold(DisplayWidth.of(line) <= width, "a line is at most \(width) columns wide: \(line)")
            hold(line.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }, "a line has no controls")
        }
    }

    private static func conceal(_ text: String) { hold(!tells(text), "a card's number is concealed") }

    private static func tells(_ text: String) -> Bool {
        text.contains(canary.prefix(9)) || text.contains(canary.suffix(9))
    }
}

/// Receipts as stored in the journal.
private enum SampleReceipts {
    static func all() throws -> [[UInt8]] {
        try ReceiptContent.Kind.allCases.flatMap { kind in
            try ReceiptContent.Outcome.allCases.map { Array(try JSONEncoder().encode(content(kind, $0))) }
        }
    }

    private static func content(_ kind: ReceiptContent.Kind, _ outcome: ReceiptContent.Outcome) -> ReceiptContent {
        ReceiptContent(
            kind: kind, outcome: outcome,
            merchant: Merchant(name: "Bücher", lines: ["1 High Street"], merchantID: "1", terminalID: "T"),
            store: "領収書", payment: "P000042", orderID: 7, orderNumber: "7-A", date: "2026-01-02 12:00:00",
            zone: "UTC+01:00", amount: "1234.50", approvedAmount: "1234.50", currency: "EUR", reason: "إيصال",
            breakdown: ReceiptBreakdown(
                items: [
                    ReceiptItem(
                        title: "Hoodie 🧥", quantity: "2", amount: "1234.50",
                        attributes: [ReceiptItem.Attribute(name: "Size", value: "M")])
                ], totals: [ReceiptTotal(.taxes, detail: "19 %", amount: "197.10")]),
            card: CardDetails(
                brand: "visa", lastFour: "0010", entryMode: .chip, cardholderVerification: .signature,
                aid: "A0000000031010", applicationName: "VISA CREDIT", applicationCryptogram: "1122334455667788",
                cryptogramType: "TC", authorizationCode: "A1B2C3", hostReference: "000000000042"))
    }
}
