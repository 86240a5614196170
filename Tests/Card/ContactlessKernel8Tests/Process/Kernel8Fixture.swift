import CardSecrets
import ContactlessKernel8
import Cryptography
import Determinism
import EMV
import EntryPoint
import SmartCard
import Testing

/// A kernel with the configuration and the transaction of the golden run, to be bent.
struct Kernel8Fixture {
    var data = Kernel8Fixture.goldenData
    var now = GoldenRun.date
    var authorities: [ECCAuthorityKey]
    var random: any RandomSource = FixedBytes(GoldenRun.kernelSecret)
    /// The time that each exchange takes.
    var elapsed = Duration.microseconds(6600)
    /// The command, counted from 0 at GET PROCESSING OPTIONS, that gets no answer.
    var failure: (command: Int, error: CardChannelError)?

    init() throws { authorities = [try GoldenRun.authorityKey()] }

    static let goldenData: [BERTag: [UInt8]] = {
        let text: [BERTag: String] = [
            0x9F06: "F0000000080101", 0x9F02: "000000001500", 0x9F03: "000000000000", 0x9A: "261123", 0x9C: "00",
            0x5F2A: "0978", 0x9F37: "11223344", 0x9F40: "6000F0A001", 0x9F09: "0001", 0x9F_8206: "E0",
            0x9F_8207: "44", 0x9F_8208: "08", 0x9F_821E: "18", 0x9F_821F: "9F82049F821C9F821B", 0x9F_8212: "0D",
            0x9F_8209: "0000", 0x9F_821A: "0000000000", 0x9F_8214: "0032", 0x9F_8211: "000013", 0x9F_821D: "1820",
            0x9F_8213: "0014", 0x9F_820D: "000000010000", 0x9F_820E: "000000005000", 0x9F_8217: "012C",
            0x9F_8218: "32", 0x9F_820A: "10", 0x9F_8221: "", 0x9F_820B: "0000000000", 0x9F_820C: "8400000000",
            0x9F1A: "0276", 0x9F_8215: "0012", 0x9F_8216: "0018", 0x9F1D: "0000000000000000", 0x9F35: "22",
            0x9F_820F: "01F4",
        ]
        return text.mapValues(hex)
    }()

    /// What a run was.
    struct Run {
        var kernel: Kernel8
        var commands: [CommandAPDU] = []
        var messages: [UserInterfaceRequest] = []
        var outcome: ContactlessOutcome?

        /// The objects of the data record.
        var record: [BERTag: [UInt8]] { Self.objects(kernel.result?.dataRecord) }
        var discretionary: [BERTag: [UInt8]] { Self.objects(kernel.result?.discretionaryData) }

        /// Outcome parameter set, message identifier, and error indication, in hexadecimal.
        var summary: [String] {
            let result = kernel.result
            let message = result?.userInterfaceRequest.map { Array($0.prefix(2)).digits }
            return [(result?.parameterSet ?? []).digits, message ?? "-", (result?.errorIndication ?? []).digits]
        }

        private static func objects(_ object: SecretDataObject?) -> [BERTag: [UInt8]] {
            let parsed = (try? BERTLV.parse(object?.value.revealed ?? [])) ?? []
            return Dictionary(parsed.map { ($0.tag, $0.value) }, uniquingKeysWith: { first, _ in first })
        }
    }

    /// Runs a kernel against a card, from the card's answer to SELECT on.
    func run(_ card: ScriptedCard) throws -> Run {
        try run(selection: card.selection) { try card.answer($0) }
    }

    func run(
        selection: [UInt8], _ answer: (CommandAPDU) throws -> ResponseAPDU
    ) throws -> Run {
        let combination = try ReaderCombination(aid: GoldenRun.dfName, kernel: .kernel8)
        let activation = KernelActivation(
            start: .b, isRestart: false, combination: combination,
            indicators: PreProcessingIndicators(unprocessed: combination),
            selection: ResponseAPDU(data: selection, status: .success), data: data, onlineResponse: nil)
        var run = Run(kernel: Kernel8(authorities: authorities, now: now, random: random))
        var step = run.kernel.activate(activation)
        while true {
            run.messages += step.messages
            switch step.next {
            case .finish(let outcome):
                run.outcome = outcome
                return run
            case .transmit(let command):
                try #require(run.commands.count < 100)
                run.commands.append(command)
                if let failure, failure.command == run.commands.count - 1 {
                    step = run.kernel.receive(.failure(failure.error))
                } else {
                    step = run.kernel.receive(.response(try answer(command), took: elapsed))
                }
            }
        }
    }
}

/// A card with the keys and records of the golden run, to be bent. Its MACs and its cryptogram are right for what it
/// sends, so that the kernel alone is judged.
final class ScriptedCard {
    var selection = hex(
        """
        6F378407F0000000080101A52C5007544553542043385F2D02656E9F380E9F2B089E409F02069F1A029F3501BF0C0A9F2C070200FFFF80
        0000
        """)
    var interchangeProfile = hex("010A")
    var fileLocator = hex("0801010110020300")
    var cdol1 = hex("9F02069F03069F1A0295055F2A029A039C019F37049F33039F1D08")
    var hasCDOL1 = true
    var records = GoldenRun.records.map { hex($0.plain) }
    var enciphersRecords = true
    /// 9F27; nil for what the kernel asks for.
    var information: UInt8?
    /// 9F8102
    var verification: UInt8 = 0x00
    var issuerApplicationData = hex("1F0A0180") + [UInt8](repeating: 0, count: 28)
    /// More objects of the answer to GENERATE AC.
    var objects: [BERTLV] = []
    /// The tags that the answers leave out.
    var missing: Set<BERTag> = []
    /// Other answers, by the instruction, from the right ones.
    var bends: [UInt8: (ResponseAPDU) -> ResponseAPDU] = [:]
    var relayAnswer = hex("800AA1A2A3A40000FFFF0012")
    var envelopes: [BERTag: [UInt8]] = [:]
    private(set) var iadMAC: [UInt8] = []
    private(set) var cryptogram: [UInt8] = []
    private(set) var edaMAC: [UInt8] = []

    private var channel: CardSecureChannel?
    private var pdolValues: [UInt8] = []
    private var relay: RelayResistanceExchange?

    /// Status words in place of answers, by the instruction. A refused command does not count in the channel.
    var refusals: [UInt8: StatusWord] = [:]

    func answer(_ command: CommandAPDU) throws -> ResponseAPDU {
        if let status = refusals[command.ins] { return ResponseAPDU(status: status) }
        if command.ins == 0xB2, !records.indices.contains(Int(command.p1) - 1) {
            return ResponseAPDU(status: .recordNotFound)
        }
        let right = try ResponseAPDU(data: data(command), status: .success)
        return bends[command.ins]?(right) ?? right
    }

    private func data(_ command: CommandAPDU) throws -> [UInt8] {
        switch command.ins {
        case 0xA8: return try processingOptions(command)
        case 0xEA:
            if let read = try? RelayResistanceAnswer(response: relayAnswer) {
                relay = RelayResistanceExchange(terminalEntropy: command.data, answer: read)
            }
            return relayAnswer
        case 0xB2: return try record(Int(command.p1) - 1)
        case 0x32:
            let tag = BERTag(rawValue: command.data.reduce(0) { $0 << 8 | UInt32($1) })
            let sealed = try channel?.sealEnvelope(try DataEnvelope(tag, envelopes[tag] ?? []))
            return try #require(sealed)
        case 0x34:
            let plain = try channel?.openWritten(command.data).revealed
            let object = try #require(try BERTLV.parse(plain ?? []).first)
            envelopes[object.tag] = object.value
            let mac = try channel?.acknowledge(try DataEnvelope(object.tag, object.value))
            return try #require(mac)
        default: return try generateAC(command)
        }
    }

    private func processingOptions(_ command: CommandAPDU) throws -> [UInt8] {
        pdolValues = try BERTLV.parse(command.data).first?.value ?? []
        let factor = try EllipticCurveScalar(SensitiveBytes(hex(GoldenRun.blindingFactor)), on: .p256)
        let opened = try CardSecureChannel(
            key: GoldenRun.key(GoldenRun.cardSecret), kernelKeyData: Array(pdolValues.dropFirst(8).prefix(64)),
            blindingFactor: factor)
        let keyData = opened.keyData
        channel = consume opened
        var objects = [
            BERTLV(0x82, interchangeProfile), BERTLV(0x94, fileLocator), BERTLV(0x9F_8103, keyData),
        ]
        if hasCDOL1 { objects.append(BERTLV(0x8C, cdol1)) }
        return BERTLV(0x77, children: objects.filter { !missing.contains($0.tag) }).encoded
    }

    private func record(_ index: Int) throws -> [UInt8] {
        let content = records[index]
        guard enciphersRecords else { return BERTLV.encode(0x70, content) }
        let sealed = try channel?.sealRecord(SensitiveBytes(content))
        return BERTLV.encode(0xDA, try #require(sealed))
    }

    /// The hash of the first record and the extended objects. The certificate in record 3 has that of the golden run.
    private func staticDataHash() throws -> [UInt8] {
        let list = try BERTLV.parse(records[0]).first(0x9F_810A)?.value ?? []
        return try StaticDataHash.compute(
            records: SensitiveBytes(records[0]), extendedTags: StaticDataHash.tags(in: list),
            interchangeProfile: interchangeProfile
        ) { $0 == 0x50 ? Array("TEST C8".utf8) : nil }
    }

    /// Makes record 3 anew, with the certificate for what the card sends.
    func certify() throws {
        let hash = try staticDataHash()
        records[2] = BERTLV.encode(0x9F46, try ECCCertificateFixture.card { $0.hash = hash })
    }

    private func generateAC(_ command: CommandAPDU) throws -> [UInt8] {
        let plain =
            [
                BERTLV(0x9F27, [information ?? command.p1]), BERTLV(0x9F36, [0, 1]),
                BERTLV(0x9F10, issuerApplicationData), BERTLV(0x9F_8102, [verification]),
            ].filter { !missing.contains($0.tag) } + objects
        let input = ApplicationMACInput(
            pdolValues: pdolValues, cdol1Values: command.data, relayResistance: relay, answer: plain,
            staticDataHash: try staticDataHash())
        iadMAC = try channel?.iadMAC(of: input) ?? []
        let session = SensitiveBytes(hex("1A9C4722DA0DC508518383BCC41BCE03"))
        var covered = Array(command.data.prefix(29)) + interchangeProfile + [0, 1]
        covered += Array(issuerApplicationData.prefix(24)) + iadMAC
        cryptogram = Array(try AESCMAC.mac(covered, key: session).prefix(8))
        edaMAC = try channel?.edaMAC(cryptogram: cryptogram, iadMAC: iadMAC) ?? []
        let made = [BERTLV(0x9F26, cryptogram), BERTLV(0x9F_8105, edaMAC)].filter { !missing.contains($0.tag) }
        return BERTLV(0x77, children: Array(plain.prefix(2)) + made + plain.dropFirst(2)).encoded
    }
}

extension [UInt8] {
    /// Upper-case hexadecimal digits.
    var digits: String { map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined() }
}
