import Determinism
import Testing

@testable import Printing

@Suite("Responses of receipt printers")
struct PrinterAnswersTests {
    /// Epson, ESC/POS command reference, DLE EOT: the fixed bits, and one with a meaning.
    @Test(
        arguments: [
            ([0x12, 0x12, 0x12, 0x12], []), ([0x1A, 0x16, 0x12, 0x12], ["cover-open-error"]),
            ([0x1A, 0x32, 0x12, 0x72], ["media-empty-error"]), ([0x12, 0x12, 0x12, 0x1E], ["media-low-warning"]),
            ([0x1A, 0x52, 0x1A, 0x12], ["cutter-error"]), ([0x1A, 0x52, 0x32, 0x12], ["other-error"]),
            ([0x1A, 0x52, 0x12, 0x12], ["other-error"]), ([0x1A, 0x12, 0x12, 0x12], ["offline-error"]),
            ([0x1A, 0x36, 0x12, 0x7E], ["cover-open-error", "media-empty-error"]),
        ] as [([UInt8], [String])])
    func `of Epson printers contain reasons`(answers: [UInt8], reasons: [String]) throws {
        let condition = try #require(EpsonDialogue.condition(answers))
        #expect(condition.reasons == reasons)
        #expect(condition.isReady == reasons.allSatisfy { $0.hasSuffix("warning") })
    }

    @Test func `of Star printers contain their length, and are found after other data`() {
        let report: [UInt8] = [0x23, 0x86, 0x28, 0, 0, 0x0C, 0, 0x6E, 0]
        #expect(StarDialogue.reports([0x11, 0xFF] + report + report.prefix(3)) == [report])
        #expect(StarDialogue.condition(report).reasons == ["cover-open-error", "media-empty-error"])
        #expect(StarDialogue.markCount(report) == 31)
        #expect(StarDialogue.markCount(Array(report.prefix(7))) == nil)
    }

    @Test func `in blocks end with a zero`() {
        #expect(EpsonDialogue.block([0x12, 0x5F, 0x54, 0x4D, 0], header: 0x5F) == [0x54, 0x4D])
        #expect(EpsonDialogue.block([0x5F, 0x54], header: 0x5F) == nil)
        #expect(EpsonDialogue.block([], header: 0x5F) == nil)
    }

    @Test func `about the model are complete when the next query is answered`() {
        typealias Identity = EpsonDialogue.Identity
        let name: [UInt8] = [0x5F, 0x54, 0x4D, 0x2D, 0]
        #expect(EpsonDialogue.identity(name) == nil)
        #expect(EpsonDialogue.identity(name + [0x00]) == Identity(name: "TM-"))
        #expect(EpsonDialogue.identity([0x12] + name + [0x12, 0x03]) == Identity(name: "TM-"))
        #expect(EpsonDialogue.identity([0x12]) == nil)
        #expect(EpsonDialogue.identity([0x00]) == Identity())
    }

    @Test func `can be any bytes`() {
        let random = SeededRandomSource(seed: 20)
        for _ in 0..<2000 {
            let bytes = random.bytes(Int(random.number(in: 0...40)))
            for report in StarDialogue.reports(bytes) {
                _ = StarDialogue.condition(report)
                #expect(StarDialogue.markCount(report).map { $0 < 32 } != false)
            }
            _ = EpsonDialogue.condition(bytes)
            _ = EpsonDialogue.block(bytes, header: 0x37)
            _ = EpsonDialogue.paperStatus(bytes)
            _ = EpsonDialogue.identity(bytes)
        }
    }

    @Test(arguments: [
        ("media-empty-warning", "media-empty", PrinterReason.Severity.warning, "out of paper"),
        ("cover-open", "cover-open", .error, "the cover is open"),
        ("offline-report", "offline", .report, "the printer is offline"),
        ("document-format-error", "document-format-error", .error, "the document cannot be printed"),
        ("-error", "", .error, ""), ("com.example.odd", "com.example.odd", .error, "com.example.odd"),
    ])
    func `are described in words`(reason: String, keyword: String, severity: PrinterReason.Severity, words: String) {
        #expect(PrinterReason(reason).keyword == keyword)
        #expect(PrinterReason(reason).severity == severity)
        #expect(PrinterReason(reason).words == words)
    }

    @Test func `a medium is the most similar one`() throws {
        let media = [
            PrintMedium(name: "roll", width: 7200, length: 20_000),
            PrintMedium(name: "long", width: 8000, length: 327_600),
            PrintMedium(name: "short", width: 8000, length: 20_000),
            PrintMedium(name: "iso_a4_210x297mm", width: 21_000, length: 29_700),
            PrintMedium(name: "na_letter_8.5x11in", width: 21_590, length: 27_940),
        ]
        let printer = PrinterCapabilities(name: "p", language: .pdf, media: media, canConfirm: true)
        #expect(try printer.medium(named: "80mm").name == "long")
        #expect(try printer.medium(named: "short").name == "short")
        #expect(try printer.medium(named: "A4").name == "iso_a4_210x297mm")
        #expect(try printer.medium(named: "letter").name == "na_letter_8.5x11in")
        #expect(throws: PrinterError.unsupportedMedium("58mm", printer: "p", supported: media.map(\.name))) {
            try printer.medium(named: "58mm")
        }
    }
}
