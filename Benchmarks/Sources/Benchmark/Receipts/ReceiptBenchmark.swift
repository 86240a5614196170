import Payments
import Printing
import Receipts

/// Measures the rendering of a receipt in a warm process, and of a thousand receipts into one file. The baselines are
/// the unavoidable work: joining the same lines, and a file or a line of dots with one word.
struct ReceiptBenchmark {
    private struct Way {
        let name: String
        /// The baseline to compare with.
        var baseline: Int?
        /// Milliseconds; nil for a baseline.
        var target: Double?
        /// Renders once and returns the number of bytes.
        let render: () throws -> Int
    }

    var rounds = 15
    var repetitions = 20

    func run() throws -> String {
        let (english, arabic) = (ReceiptComposer(locale: .english), ReceiptComposer(locale: .arabic))
        let document = Self.document
        let lines = PlainTextRenderer(width: 48).render(english.compose(document)).split(separator: "\n")
        let (pictures, words) = (PictureRenderer(locale: .english, paper: .roll80), [ReceiptBlock.title("SALE")])
        let dots = ESCPOSRenderer(family: .epson, width: 48, locale: .arabic)
        let ways = [
            Way(name: "the same lines joined (baseline)") { lines.joined(separator: "\n").utf8.count },
            Way(name: "text, 48 columns", baseline: 0, target: 0.2) {
                PlainTextRenderer(width: 48).render(english.compose(document)).utf8.count
            },
            Way(name: "PDF with one word (baseline)") {
                try pictures.pdf(words, title: "", date: document.date).bytes.count
            },
            Way(name: "PDF, 80 mm", baseline: 2, target: 5) {
                try pictures.pdf(english.compose(document), title: "", date: document.date).bytes.count
            },
            Way(name: "one line of dots (baseline)") { try dots.render([.title("بيع")]).bytes.count },
            Way(name: "ESC/POS in Arabic: dots, 80 mm", baseline: 4, target: 5) {
                try dots.render(arabic.compose(document)).bytes.count
            },
        ]
        var times = [Samples](repeating: Samples(), count: ways.count)
        var sizes = [Int](repeating: 0, count: ways.count)
        // Fonts are opened once per process.
        for (index, way) in ways.enumerated() { sizes[index] = try way.render() }
        for _ in 0..<rounds {
            for (index, way) in ways.enumerated() {
                let start = Machine.threadProcessorSeconds
                for _ in 0..<repetitions { sizes[index] = try way.render() }
                times[index].add((Machine.threadProcessorSeconds - start) * 1000 / Double(repetitions))
            }
        }
        var table = MarkdownTable("one receipt", "ms of work", "against its baseline", "bytes", "target")
        for (index, way) in ways.enumerated() {
            table.add(
                way.name, times[index].text(decimals: 3),
                way.baseline.map { (times[index] / times[$0]).median.text(1) } ?? "", String(sizes[index]),
                way.target.map { verdict(times[index].median, atMost: $0) } ?? "")
        }
        return "### Rendering a receipt\n\n" + table.text
            + "\nThe PDF's size: \(verdict(Double(sizes[3]), atMost: 40_000)) bytes.\n\n" + (try series(document))
    }

    private func series(_ document: ReceiptDocument) throws -> String {
        let composer = ReceiptComposer(locale: .english)
        var (times, size) = (Samples(), 0)
        for _ in 0..<3 {
            let start = Machine.threadProcessorSeconds
            size = 0
            let book = try PDFBook(
                locale: .english, paper: .roll80, title: "Receipts", date: document.date
            ) { piece in
                size += piece.count
                return true
            }
            for number in 1...1000 {
                var receipt = document
                receipt.payment = "P\(number)"
                try book.append(composer.compose(receipt), title: composer.title(receipt))
            }
            try book.finish()
            times.add(Machine.threadProcessorSeconds - start)
        }
        var table = MarkdownTable("1,000 receipts", "s of work", "MB", "target")
        table.add(
            "one PDF file", times.text(decimals: 2), (Double(size) / 1_000_000).text(1),
            verdict(times.median, atMost: 3))
        return table.text
    }

    private static var document: ReceiptDocument {
        let card = CardDetails(
            brand: "visa", lastFour: "0010", entryMode: .chip, cardholderVerification: .offlinePIN,
            aid: "A0000000031010", applicationName: "VISA CREDIT", terminalVerificationResults: "8000008000",
            transactionStatusInformation: "6800", applicationCryptogram: "1122334455667788", cryptogramType: "TC",
            applicationTransactionCounter: 3, authorizationResponseCode: "00", authorizationCode: "A1B2C3",
            hostReference: "000000000042")
        let content = ReceiptContent(
            kind: .sale, outcome: .approved,
            merchant: Merchant(
                name: "Corner Shop", lines: ["1 High Street"], merchantID: "123456789012345", terminalID: "T0000001"),
            payment: "P000042", orderID: 7, date: "2026-01-02 12:00:00", zone: "UTC+01:00", amount: "1245.50",
            approvedAmount: "1245.50", currency: "EUR",
            breakdown: ReceiptBreakdown(
                items: (1...5).map { ReceiptItem(title: "Hoodie with logo \($0)", quantity: "2", amount: "240.00") },
                totals: [ReceiptTotal(.subtotal, amount: "1200.00"), ReceiptTotal(.taxes, amount: "45.50")]),
            card: card)
        return ReceiptDocument(content, copy: .customer)
    }
}
