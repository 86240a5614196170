import CTestFonts
import Determinism
import Foundation
import Payments
import Printing
import Receipts
import TestPrinters
import Testing

@Suite("The layout of receipts")
struct GoldenTests {
    struct Sample: Sendable, CustomTestStringConvertible {
        let name: String
        let document: ReceiptDocument
        var locale = ReceiptLocale.english
        var paper = PaperSize.roll80

        var testDescription: String { name }

        func pdf() throws -> [UInt8] {
            let composer = ReceiptComposer(locale: locale)
            return try PictureRenderer(locale: locale, paper: paper).pdf(
                composer.compose(document), title: composer.title(document), date: document.date
            ).bytes
        }
    }

    static let samples: [Sample] = {
        var (signed, barcode, wide, japanese) = (
            ReceiptSamples.content(), ReceiptSamples.full, ReceiptSamples.full, ReceiptSamples.full
        )
        signed.card?.cardholderVerification = .signature
        barcode.codeForm = .barcode
        barcode.logo = try? ReceiptLogo(png: DotPaper.checkers(width: 200, height: 80).png)
        wide.items.append(
            ReceiptItem(title: "Organic cotton T-shirt, long sleeves, for children", quantity: "12", amount: "36.50"))
        japanese.merchant.name = "小さな喫茶店"
        japanese.items.append(
            ReceiptItem(title: "とても長い名前の商品で、一行には入りきらない", quantity: "1", amount: "5.00"))
        var arabic = ReceiptSamples.full
        arabic.merchant.name = "مقهى الزاوية"
        arabic.items.append(ReceiptItem(title: "قهوة Espresso مزدوجة", quantity: "3", amount: "9.00"))
        return [
            Sample(name: "sale-en-80mm", document: wide),
            Sample(name: "sale-ar-80mm", document: arabic, locale: .arabic),
            Sample(name: "sale-ja-80mm", document: japanese, locale: .japanese),
            Sample(
                name: "duplicate-de-58mm",
                document: ReceiptDocument(signed, copy: .merchant, isDuplicate: true), locale: .german, paper: .roll58),
            Sample(
                name: "declined-fr-58mm",
                document: ReceiptDocument(
                    ReceiptSamples.content(
                        .sale, .declined, reason: "51", reasonCode: .insufficientFunds, currency: "EUR"),
                    copy: .customer),
                locale: .french, paper: .roll58),
            Sample(name: "barcode-en-80mm", document: barcode),
            Sample(name: "sale-en-letter", document: wide, paper: .letter),
            Sample(name: "long-en-a4", document: ReceiptSamples.long(100), paper: .a4),
        ]
    }()

    @Test(arguments: samples)
    func `a receipt matches its golden picture`(sample: Sample) throws {
        let picture = try Golden.picture(pdf: sample.pdf())
        let golden = Golden(name: sample.name)
        if Golden.isRenewing { try golden.write(picture) }
        #expect(try golden.difference(from: picture) == .none)
    }

    // Each is a possible layout error that the golden picture detects.
    @Test func `a broken layout differs from its golden picture`() throws {
        let sample = try #require(Self.samples.first)
        let golden = Golden(name: sample.name)
        func difference(_ change: (inout ReceiptDocument) -> Void) throws -> Golden.Difference {
            var document = sample.document
            change(&document)
            return try golden.difference(
                from: Golden.picture(pdf: Sample(name: "", document: document).pdf()))
        }
        #expect(try difference { _ in } == .none)
        #expect(try difference { $0.items.removeLast() } != .none)
        #expect(try difference { $0.items[1].title = "Cap with a long visor" } != .none)
        #expect(try difference { $0.items.swapAt(0, 1) } != .none)
        #expect(try difference { $0.merchant.name = "Shop" } != .none)
        #expect(try difference { $0.footer = ["Thanks a lot"] } != .none)
        #expect(try difference { $0.code = nil } != .none)
        var picture = try Golden.picture(pdf: sample.pdf())
        // Everything two pixels further to the right, as when an alignment is wrong.
        picture.pixels = (0..<picture.height).flatMap { row -> [UInt8] in
            [255, 255] + picture.pixels[(row * picture.width)..<((row + 1) * picture.width - 2)]
        }
        #expect(try golden.difference(from: picture) != .none)
    }

    @Test(.timeLimit(.minutes(10)))
    func `a receipt arrives unchanged through the print server`() async throws {
        // The paper of this printer: another one would be scaled to it.
        let samples = Self.samples.filter { $0.paper == .letter }
        #expect(!samples.isEmpty)
        try await PrintServer.running { server in
            let service = CUPSPrinterService(server: server.socket, time: SystemTimeSource())
            for (index, sample) in samples.enumerated() {
                let job = try await service.submit(.pdf(try sample.pdf(), title: sample.name), to: "receipts")
                #expect(try await service.follow(job) { _ in }.state == .completed)
                let arrived = try #require(try await server.printed(index + 1).last)
                let picture = try Golden.picture(pdf: Array(arrived))
                #expect(try Golden(name: sample.name).difference(from: picture) == .none, "\(sample.name)")
            }
        }
    }
}
