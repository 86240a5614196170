import CardSecrets
import Cryptography
import Determinism
import SmartCard
import Testing

@testable import Simulator

/// A card that is spoken to in hexadecimal, as on paper.
final class CardUnderTest {
    let card: SimulatedEMVCard
    private(set) var atr: [UInt8] = []

    init(_ profile: CardProfile, seed: UInt64 = 1) throws {
        card = try SimulatedEMVCard(profile: profile, random: SeededRandomSource(seed: seed))
        atr = card.reset(warm: false)
    }

    convenience init(named name: String) throws { try self.init(try CardProfileLibrary.profile(name)) }

    /// Sends a whole command APDU.
    @discardableResult
    func send(_ command: [UInt8]) throws -> ResponseAPDU {
        try #require(card.process(try CommandAPDU(bytes: command)).response)
    }

    @discardableResult
    func send(_ text: String) throws -> ResponseAPDU { try send(hex(text)) }

    @discardableResult
    func select(_ aid: String = "A0000000031010") throws -> ResponseAPDU {
        try send([0x00, 0xA4, 0x04, 0x00, UInt8(hex(aid).count)] + hex(aid) + [0x00])
    }

    /// SELECT and GET PROCESSING OPTIONS of an application without a PDOL.
    func begin(_ aid: String = "A0000000031010") throws {
        #expect(try select(aid).status == .success)
        #expect(try send("80A8 0000 02 8300 00").status == .success)
    }

    /// GENERATE AC with the data given, or the standard transaction in the layout of CDOL1 of Visa.
    @discardableResult
    func generateAC(_ type: UInt8, _ data: [UInt8]) throws -> Cryptogram {
        let response = try send([0x80, 0xAE, type, 0x00, UInt8(data.count)] + data + [0x00])
        return try Cryptogram(response)
    }

    /// A GENERATE AC answer, of either format.
    struct Cryptogram {
        let status: StatusWord
        var information: UInt8 = 0xFF
        var atc: [UInt8] = []
        var value: [UInt8] = []
        var issuerData: [UInt8] = []

        init(_ response: ResponseAPDU) throws {
            status = response.status
            guard status == .success else { return }
            let template = try #require(try BERTLV.parse(response.data).first)
            if template.tag == 0x80 {
                information = template.value[0]
                (atc, value) = (Array(template.value[1...2]), Array(template.value[3...10]))
                issuerData = Array(template.value[11...])
            } else {
                information = try #require(template.first(0x9F27)?.value.first)
                atc = try #require(template.first(0x9F36)?.value)
                value = try #require(template.first(0x9F26)?.value)
                issuerData = try #require(template.first(0x9F10)?.value)
            }
        }
    }
}

/// The bytes of a text of hexadecimal digits; blanks do not count.
func hex(_ text: String) -> [UInt8] {
    let digits = text.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}

/// The values for 9F02, 9F03, 9F1A, 95, 5F2A, 9A, 9C and 9F37 of a payment in US dollars.
func terminalData(cents: Int = 1250, currency: String = "0840") -> [UInt8] {
    let digits = String(cents)
    return hex(String(repeating: "0", count: 12 - digits.count) + digits)
        + hex("000000000000 0840 8000000000 \(currency) 260102 00 11223344")
}

/// The master key of the card with these digits, derived according to EMV Book 2 annex A1.4.1, with nothing
/// of the card's own code.
func masterKey(_ issuerMasterKey: borrowing SensitiveBytes, pan: String, sequence: String) throws -> SensitiveBytes {
    let block = hex(String((pan + sequence).suffix(16)))
    var key = try TripleDES.encrypt(block + block.map { ~$0 }, key: issuerMasterKey)
    for index in key.indices where key[index].nonzeroBitCount.isMultiple(of: 2) { key[index] ^= 1 }
    return SensitiveBytes(key)
}

/// The EMV common session key (Book 2 annex A1.3.1) of any diversifier, by hand.
func commonSessionKey(_ masterKey: borrowing SensitiveBytes, diversifier: [UInt8]) throws -> SensitiveBytes {
    var (left, right) = (diversifier, diversifier)
    (left[2], right[2]) = (0xF0, 0x0F)
    var key = try TripleDES.encrypt(left + right, key: masterKey)
    for index in key.indices where key[index].nonzeroBitCount.isMultiple(of: 2) { key[index] ^= 1 }
    return SensitiveBytes(key)
}
