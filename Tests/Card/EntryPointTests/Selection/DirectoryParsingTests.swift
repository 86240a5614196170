import Determinism
import EMV
import SmartCard
import Testing

@testable import EntryPoint

/// The directory of a card with defects (Book B §3.3.2).
struct DirectoryParsingTests {
    private let good = TestCard.directory(
        TestCard.entry(TestCard.mastercard, kernel: "02", priority: 1)
            + TestCard.entry(TestCard.visa, kernel: "03", priority: 2, extended: "01"))

    @Test func `a directory gives its entries in their order`() throws {
        let entries = try ContactlessDirectory(good).entries.map { try $0.get() }
        #expect(entries.map(\.adfName.hexText) == [TestCard.mastercard, TestCard.visa])
        #expect(entries.map(\.kernel) == [.only(.kernel2), .only(.kernel3)])
        #expect(entries.map(\.priority) == [1, 2] && entries.map(\.extendedSelection) == [[], [1]])
    }

    @Test func `a directory that is cut anywhere is refused, with the place of the object that is cut`() {
        for length in 0..<good.count {
            do throws(FileControlError) {
                _ = try ContactlessDirectory(Array(good.prefix(length)))
                Issue.record("\(length) of \(good.count) bytes were taken")
            } catch {
                #expect((0...length).contains(error.offset))
            }
        }
    }

    @Test(
        arguments: [
            ("6F00", .missing(0xA5, offset: 2)), ("", .missing(0x6F, offset: 0)),
            ("7700", .missing(0x6F, offset: 0)), ("6F02A500", .missing(0xBF0C, offset: 4)),
            ("6F05A503BF0C00", .missing(0x61, offset: 7)), ("6F00 6F00", .duplicate(0x6F, offset: 2)),
            ("6F04 A500 A500", .duplicate(0xA5, offset: 4)), ("6F08 A506 BF0C00 BF0C00", .duplicate(0xBF0C, offset: 7)),
            ("6F05A504BF0C00", .malformed(.truncated(offset: 2))),
            ("6F05A503BF0C01", .malformed(.truncated(offset: 4))),
            ("6F80A503BF0C00", .malformed(.invalidLength(offset: 1))),
            ("6F04A502 1F81", .malformed(.truncated(offset: 4))),
        ] as [(String, FileControlError)])
    func `a template that is missing, doubled, or lies about its length is named with its place`(
        text: String, error: FileControlError
    ) {
        #expect(throws: error) { try ContactlessDirectory(bytes(text)) }
    }

    @Test(
        arguments: [
            ("4F05A000000004 4F05A000000004", .duplicate(0x4F, offset: 9 + 7)),
            ("4F05A000000004 870101 870101", .duplicate(0x87, offset: 9 + 10)),
            ("4F05A000000004 9F2A0102 9F2A0102", .duplicate(0x9F2A, offset: 9 + 11)),
            ("4F05A000000004 9F2901AA 9F2901AA", .duplicate(0x9F29, offset: 9 + 11)),
            ("4F05A000000004 87020101", .wrongLength(0x87, offset: 9 + 7)),
            ("4F05A000000004 9F2A028109", .wrongLength(0x9F2A, offset: 9 + 7)),
            ("4F04A0000000", .wrongLength(0x4F, offset: 9)), ("8701014F00", .missing(0x4F, offset: 9)),
            ("4F06A000000004", .malformed(.truncated(offset: 9))),
            ("4F05A000000004 9F", .malformed(.truncated(offset: 16))),
        ] as [(String, FileControlError)])
    func `a defect of one entry is named with its place, and leaves the others`(
        content: String, error: FileControlError
    ) throws {
        let bad = tlv(0x61, bytes(content))
        let answer = tlv(0x6F, tlv(0xA5, tlv(0xBF0C, bad, TestCard.entry(TestCard.visa))))
        let entries = try ContactlessDirectory(answer).entries
        #expect(entries.first == .failure(error))
        #expect(try entries.last?.get().adfName.hexText == TestCard.visa)
    }

    @Test(
        arguments: [
            ("", .missing(0x6F, offset: 0)), ("6F068404A0000000", .wrongLength(0x84, offset: 2)),
            ("6F0E8405A0000000048405A000000004", .duplicate(0x84, offset: 9)),
            ("6F09A5079F38009F380101", .duplicate(0x9F38, offset: 7)),
            ("6F03A50184", .malformed(.truncated(offset: 5))),
        ] as [(String, FileControlError)])
    func `an answer of an application with a defect is named with its place`(text: String, error: FileControlError) {
        #expect(throws: error) { try SelectedFile(bytes(text)) }
    }

    @Test func `an answer of an application needs neither name nor PDOL to be read`() throws {
        let empty = try SelectedFile(bytes("6F00"))
        #expect(empty.dfName == nil && empty.pdol == nil)
        let malformed = try SelectedFile(bytes("6F06A5049F38019F"))
        #expect(malformed.pdol == nil)
        let whole = try SelectedFile(TestCard.application(TestCard.visa, pdol: "9F6604").data)
        #expect(whole.dfName == bytes(TestCard.visa) && whole.pdol?.asks(for: 0x9F66) == true)
    }

    @Test func `no bytes make it trap, and changed directories give entries that keep the rules`() throws {
        let random = SeededRandomSource(seed: 5)
        for round in 0..<4000 {
            var answer = good
            for _ in 0...round % 4 {
                answer[Int(random.number(in: 0...UInt32(answer.count - 1)))] = random.bytes(1)[0]
            }
            guard let directory = try? ContactlessDirectory(answer) else { continue }
            for case .success(let entry) in directory.entries {
                #expect((5...16).contains(entry.adfName.count) && (1...15).contains(entry.priority ?? 1))
            }
            var card = TestCard.standard
            card.directory = ResponseAPDU(data: answer, status: .success)
            var reader = try TestReader(card: card)
            #expect(try reader.pay().outcomes.count == 1)
        }
    }
}
