import Payments
import Printing
import Receipts
import Testing

@Suite("Secrets on receipts")
struct ReceiptSecrecyTests {
    private static let pan = "5413339876548266"

    /// The card's number as it may come in: alone, in groups, and on its tracks with the expiry date behind it.
    static let canaries = [
        pan, "5413 3398 7654 8266", "5413-3398-7654-8266", "no. \(pan)!", ";\(pan)=29122011143804400000?",
        "\(pan)D29122011143804400000", "%B\(pan)^CARD/TEST^29122011143804400000?", "5555\(pan)5555",
    ]

    /// Five digits of the number in a row.
    private static let parts = (0...11).map { String(pan.dropFirst($0).prefix(5)) }

    /// A document with the text in every free text field.
    private func document(_ text: String) -> ReceiptDocument {
        var document = ReceiptSamples.full
        document.merchant.name = text
        document.merchant.lines = [text]
        (document.header, document.footer) = ([text], [text])
        document.items = [
            ReceiptItem(
                title: text, quantity: "1", amount: "1.00",
                attributes: [ReceiptItem.Attribute(name: text, value: text)])
        ]
        document.totals = [ReceiptTotal(.discount, detail: text, amount: "-1.00")]
        (document.reason, document.store, document.code) = (text, text, text)
        document.card?.lastFour = text
        document.card?.applicationName = text
        document.card?.authorizationCode = text
        document.card?.hostReference = text
        return document
    }

    private func everything(_ document: ReceiptDocument) throws -> [String] {
        let composer = ReceiptComposer(locale: .english)
        let blocks = composer.compose(document)
        let pdf = try PictureRenderer(locale: .english, paper: .a4).pdf(
            blocks, title: composer.title(document), date: document.date)
        return [
            PlainTextRenderer(width: 80).render(blocks),
            try HTMLRenderer(locale: .english).render(blocks, title: composer.title(document)),
            try JSONRenderer().render(document),
            try ESCPOSInterpreter(
                ESCPOSRenderer(family: .epson, width: 80, locale: .english).render(blocks).bytes, .epson
            ).text.joined(separator: "\n"),
            String(decoding: try Tool.run("pdftotext", "-layout", on: pdf.bytes, after: ["-"]), as: UTF8.self),
        ]
    }

    @Test(arguments: ReceiptSecrecyTests.canaries, [ReceiptContent.Outcome.approved, .declined, .unknown])
    func `at most four digits of a card number, and no expiration date`(
        canary: String, outcome: ReceiptContent.Outcome
    ) throws {
        var document = document(canary)
        document.outcome = outcome
        for text in try everything(document) {
            for line in text.split(separator: "\n") {
                let digits = String(line.filter { ("0"..."9").contains($0) })
                #expect(!Self.parts.contains { digits.contains($0) }, "\(line)")
            }
            #expect(!text.contains("2912"))
        }
    }

    @Test(arguments: ["000000000042", "4006381333931x", "+49 30 1234567"])
    func `other numbers stay`(text: String) {
        var document = ReceiptSamples.full
        document.footer = [text]
        #expect(ReceiptSamples.text(document).contains(text))
    }
}
