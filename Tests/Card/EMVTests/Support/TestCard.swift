import EMV
import SmartCard
import Synchronization

/// A card that answers by a profile and remembers what it was asked.
final class TestCard: CardChannel {
    struct Application: Sendable {
        var aid: [UInt8]
        /// Encoded data objects of template A5.
        var proprietary: [UInt8]
        var selectStatus = StatusWord.success
        var optionsStatus = StatusWord.success
    }

    struct Profile: Sendable {
        /// Records of the payment system directory in file 1; nil when there is none.
        var directory: [[UInt8]]?
        /// Answer to the directory's SELECT when there is none.
        var directoryStatus = StatusWord.fileNotFound
        var applications: [Application] = []
        /// Answer to GET PROCESSING OPTIONS; nil to make format 1 of `aip` and the records.
        var options: [UInt8]?
        var aip = bytes("1C00")
        /// Records of file 1, without template 70.
        var records: [[UInt8]] = []
        /// The only record of file 12, with its template; nil when there is none.
        var proprietaryRecord: [UInt8]?
        /// GET DATA
        var data: [UInt16: [UInt8]] = [:]
        /// What VERIFY answers, in turn; the last one again and again.
        var verify: [StatusWord] = []
        var challenge: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]
        var externalAuthenticate = StatusWord.success
        /// CID of the first and second cryptogram, by what was asked for.
        var first: @Sendable (UInt8) -> UInt8 = { $0 }
        var second: @Sendable (UInt8) -> UInt8 = { $0 }
        var usesFormat2 = false
        /// Answers to other instructions; 9000 if not here.
        var scripts: [UInt8: StatusWord] = [:]
        /// What INTERNAL AUTHENTICATE answers to the filled DDOL; nil for 6D00.
        var sign: (@Sendable ([UInt8]) throws -> ResponseAPDU)?
        /// What GENERATE AC answers when it asks for a signed TC or ARQC (CDA); nil to sign nothing.
        var signCryptogram: (@Sendable (SigningRequest) throws -> [UInt8])?
        /// What GENERATE AC answers when it asks for a signature on an elliptic curve (XDA); nil to sign nothing.
        var signExtended: (@Sendable (SigningRequest) throws -> [UInt8])?
        /// A command for which the card is pulled, and at which number of GENERATE AC.
        var removal: (@Sendable (CommandAPDU, _ cryptograms: Int) -> Bool)?
    }

    /// What a card signs in CDA and XDA.
    struct SigningRequest: Sendable {
        /// 1 or 2
        var number: Int
        var cid: UInt8
        /// The filled PDOL and CDOLs up to now.
        var sent: [UInt8]
        /// The filled CDOL of this command.
        var data: [UInt8]
        /// Tag 9F37, as it stands in the test card's CDOLs.
        var unpredictableNumber: [UInt8]
    }

    private struct State {
        var sent: [UInt8] = []
        var commands: [CommandAPDU] = []
        var selected: Application?
        var cryptograms = 0
        var verifications = 0
        var occurrence = 0
    }

    let profile: Profile
    private let state = Mutex(State())

    init(_ profile: Profile) { self.profile = profile }

    /// Every command, in order.
    var commands: [CommandAPDU] { state.withLock { $0.commands } }

    /// The commands with instruction `ins`.
    func commands(_ ins: UInt8) -> [CommandAPDU] { commands.filter { $0.ins == ins } }

    func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU {
        let answer: ResponseAPDU? = state.withLock { state in
            state.commands.append(command)
            if let removal = profile.removal, removal(command, state.cryptograms) { return nil }
            return self.answer(command, &state)
        }
        guard let answer else { throw .cardRemoved }
        return answer
    }

    private func answer(_ command: CommandAPDU, _ state: inout State) -> ResponseAPDU {
        switch command.ins {
        case 0xA4: return select(command, &state)
        case 0xB2: return readRecord(command, state)
        case 0xA8:
            guard state.selected?.optionsStatus == .success else {
                return ResponseAPDU(status: state.selected?.optionsStatus ?? .conditionsNotSatisfied)
            }
            state.sent = Array(command.data.dropFirst(2))
            let locator: [UInt8] = [0x08, 0x01, UInt8(profile.records.count), 0x01]
            return ok(profile.options ?? BERTLV.encode(0x80, profile.aip + locator))
        case 0xCA:
            let tag = UInt16(command.p1) << 8 | UInt16(command.p2)
            guard let value = profile.data[tag] else { return ResponseAPDU(status: .referencedDataNotFound) }
            return ok(BERTLV.encode(BERTag(rawValue: UInt32(tag)), value))
        case 0x84: return ok(profile.challenge)
        case 0x20:
            let index = min(state.verifications, profile.verify.count - 1)
            state.verifications += 1
            return ResponseAPDU(status: profile.verify.isEmpty ? .success : profile.verify[index])
        case 0xAE:
            state.cryptograms += 1
            state.sent += command.data
            let asked = command.p1 & 0xC0
            let cid = state.cryptograms == 1 ? profile.first(asked) : profile.second(asked)
            let number = command.data.dropFirst(state.cryptograms == 1 ? 25 : 9).prefix(4)
            let request = SigningRequest(
                number: state.cryptograms, cid: cid, sent: state.sent, data: command.data,
                unpredictableNumber: Array(number))
            if command.p1 & 0x10 != 0, cid & 0xC0 != 0, let sign = profile.signCryptogram {
                return (try? sign(request)).map(ok) ?? ResponseAPDU(status: .conditionsNotSatisfied)
            }
            if command.p1 & 0x08 != 0, let sign = profile.signExtended {
                return (try? sign(request)).map(ok) ?? ResponseAPDU(status: .conditionsNotSatisfied)
            }
            return ok(cryptogram(cid, state.cryptograms))
        case 0x88: return (try? profile.sign?(command.data)) ?? ResponseAPDU(status: StatusWord(0x6D, 0x00))
        case 0x82: return ResponseAPDU(status: profile.externalAuthenticate)
        default: return ResponseAPDU(status: profile.scripts[command.ins] ?? .success)
        }
    }

    private func ok(_ data: [UInt8]) -> ResponseAPDU { ResponseAPDU(data: data, status: .success) }

    private func select(_ command: CommandAPDU, _ state: inout State) -> ResponseAPDU {
        if command.data == Array("1PAY.SYS.DDF01".utf8) {
            guard profile.directory != nil else { return ResponseAPDU(status: profile.directoryStatus) }
            state.selected = nil
            return ok(tlv(0x6F, BERTLV.encode(0x84, command.data), tlv(0xA5, tlv(0x88, "01"), tlv(0x9F11, "01"))))
        }
        let matches = profile.applications.filter { $0.aid.starts(with: command.data) }
        state.occurrence = command.p2 == 2 ? state.occurrence + 1 : 0
        guard state.occurrence < matches.count else { return ResponseAPDU(status: .fileNotFound) }
        let application = matches[state.occurrence]
        state.selected = application
        return ResponseAPDU(
            data: tlv(0x6F, BERTLV.encode(0x84, application.aid), BERTLV.encode(0xA5, application.proprietary)),
            status: application.selectStatus)
    }

    private func readRecord(_ command: CommandAPDU, _ state: State) -> ResponseAPDU {
        if command.p2 >> 3 == 12, command.p1 == 1, let record = profile.proprietaryRecord { return ok(record) }
        let records = state.selected == nil ? profile.directory ?? [] : profile.records
        guard command.p2 >> 3 == 1, records.indices.contains(Int(command.p1) - 1) else {
            return ResponseAPDU(status: .recordNotFound)
        }
        return ok(BERTLV.encode(0x70, records[Int(command.p1) - 1]))
    }

    private func cryptogram(_ cid: UInt8, _ number: Int) -> [UInt8] {
        let value = [UInt8](repeating: 0xA0 + UInt8(number), count: 8)
        let issuerData = bytes("06010A03A00000")
        guard profile.usesFormat2 else { return BERTLV.encode(0x80, [cid, 0x00, 0x2A] + value + issuerData) }
        return tlv(
            0x77, BERTLV.encode(0x9F27, [cid]), tlv(0x9F36, "002A"), BERTLV.encode(0x9F26, value),
            BERTLV.encode(0x9F10, issuerData))
    }
}

extension TestCard.Profile {
    /// The digits of the test card's account, and its track 2.
    static let pan = "4761739001010010"
    static let visa: [UInt8] = bytes("A0000000031010")
    /// 9F02 9F03 9F1A 95 5F2A 9A 9C 9F37 9F34
    static let cdol1 = bytes("9F0206 9F0306 9F1A02 9505 5F2A02 9A03 9C01 9F3704 9F3403")
    /// 8A 95 9B 9F37
    static let cdol2 = bytes("8A02 9505 9B02 9F3704")

    /// A card with one Visa application, no CVM, that does what it is asked.
    static func standard(cvmList: String? = "00000000 00000000 1F00", _ extra: [UInt8]...) -> TestCard.Profile {
        var profile = TestCard.Profile()
        profile.applications = [TestCard.Application(aid: visa, proprietary: tlv(0x50, "56495341"))]
        var second = tlv(0x8C, cdol1.hexText) + tlv(0x8D, cdol2.hexText)
        if let cvmList { second += tlv(0x8E, cvmList) }
        profile.records = [
            tlv(0x5A, pan) + tlv(0x57, pan + "D31122011000000000000F") + tlv(0x5F24, "311231") + tlv(0x5F34, "01"),
            second, tlv(0x5F28, "0840") + tlv(0x9F42, "0840") + extra.flatMap(\.self),
        ]
        return profile
    }
}

/// The bytes that hexadecimal digits stand for; spaces are left out.
func bytes(_ text: String) -> [UInt8] {
    let digits = text.compactMap(\.hexDigitValue).map(UInt8.init)
    return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}

/// A data object with a value in hexadecimal digits.
func tlv(_ tag: BERTag, _ text: String) -> [UInt8] { BERTLV.encode(tag, bytes(text)) }

/// A template around encoded data objects.
func tlv(_ tag: BERTag, _ parts: [UInt8]...) -> [UInt8] { BERTLV.encode(tag, parts.flatMap(\.self)) }

extension [UInt8] {
    /// Upper-case hexadecimal digits.
    var hexText: String {
        map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()
    }
}
