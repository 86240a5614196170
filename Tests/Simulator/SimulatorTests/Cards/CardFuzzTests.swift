import Determinism
import Settings
import SmartCard
import Testing

@testable import Simulator

struct CardFuzzTests {
    /// Commands that lead through a transaction, to be bent.
    private let good = [
        "00A40400 07 A0000000031010 00", "00A40400 0E 315041592E5359532E4444463031 00", "00A40402 05 A000000003 00",
        "80A80000 02 8300 00", "00B2010C00", "00B2011400", "00B2021400", "0084000000", "80CA9F3600", "80CA9F1700",
        "00200080 08 241234FFFFFFFFFF", "00200080 08 241111FFFFFFFFFF",
        "80AE8000 1D 000000001250 000000000000 0840 8000000000 0840 260102 00 11223344 00",
        "80AE4000 1F 3030 000000001250 000000000000 0840 8000000000 0840 260102 00 11223344 00",
        "00820000 08 1122334455667788", "841E0000 08 0000000000000000", "84240000 08 0000000000000000",
    ]

    @Test(arguments: ["pin-required", "issuer-script", "pin-enciphered", "multi-application", "aes-card"])
    func `the card responds to any input with a status word`(name: String) throws {
        let card = try CardUnderTest(named: name)
        let random = SeededRandomSource(seed: 42).stream(name)
        func draw(_ upper: Int) -> Int { Int(random.number(in: 0...UInt32(max(0, upper - 1)))) }
        var succeeded = 0
        for round in 0..<600 {
            if round.isMultiple(of: 40) { _ = card.card.reset(warm: false) }
            var bytes = hex(good[round < 300 ? round % good.count : draw(good.count)])
            for _ in 0..<draw(3) {
                switch draw(4) {
                case 0: bytes[draw(bytes.count)] = random.bytes(1)[0]
                case 1: bytes.removeLast(min(draw(4), bytes.count - 1))
                case 2: bytes += random.bytes(draw(8))
                default: bytes = random.bytes(draw(40) + 1)
                }
            }
            guard let command = try? CommandAPDU(bytes: bytes) else { continue }
            let response = try #require(card.card.process(command).response)
            #expect((0x61...0x6F).contains(response.status.sw1) || response.status.sw1 == 0x90)
            #expect(response.data.count <= 256)
            #expect(response.status.sw1 == 0x90 || response.status == .selectedFileInvalidated || response.data.isEmpty)
            if response.status == .success { succeeded += 1 }
        }
        #expect(succeeded > 0)
    }

    @Test func `every header gets a response in every state`() throws {
        let card = try CardUnderTest(named: "pin-required")
        for preparation in [[], [0], [0, 3], [0, 3, 12], [0, 3, 12, 13]] {
            for ins in 0...UInt8.max {
                _ = card.card.reset(warm: false)
                for step in preparation { try card.send(good[step]) }
                for cla: UInt8 in [0x00, 0x80, 0x84, 0x04, 0xFF] {
                    #expect(card.card.process(CommandAPDU(cla, ins, 0, 0, le: 0)).response != nil)
                    let command = try CommandAPDU(
                        cla: cla, ins: ins, p1: 0x9F, p2: 0x14, data: [1, 2, 3, 4, 5, 6, 7, 8], expectedLength: 256)
                    #expect(card.card.process(command).response != nil)
                }
            }
        }
    }

    @Test func `data object lists of any bytes are parsed or rejected`() {
        let random = SeededRandomSource(seed: 9)
        for round in 0..<2_000 {
            let bytes = random.bytes(round % 40)
            guard let list = CardDataObjectList(bytes) else { continue }
            #expect(list.split([UInt8](repeating: 1, count: list.dataLength)) != nil)
            #expect(list.split([UInt8](repeating: 1, count: list.dataLength + 1)) == nil)
        }
    }

    @Test func `mutated profiles are parsed or rejected`() throws {
        let random = SeededRandomSource(seed: 3)
        let text = Array(PackageResources.pin_enciphered_yaml)
        for _ in 0..<150 {
            var bytes = text
            for _ in 0..<4 {
                let index = Int(random.number(in: 0...UInt32(bytes.count - 1)))
                bytes[index] = random.bytes(1)[0] & 0x7F
            }
            do {
                _ = try CardProfile(yaml: String(decoding: bytes, as: UTF8.self), file: "f.yaml")
            } catch {
                #expect(error.location.line >= 1)
            }
        }
    }
}
