import CardSecrets
import ContactlessKernel8
import Determinism
import EMV
import EntryPoint
import Simulator
import SmartCard

extension FuzzTarget {
    static let taps: [FuzzTarget] = [kernel8, contactlessCard]

    // MARK: The kernel

    /// Kernel 8 with a good card of which some answers are changed. The input chooses the card, the settings of the
    /// kernel, and up to three changes, each with its place.
    private static let kernel8 = FuzzTarget(
        "kernel-8", longestInput: 400,
        seeds: {
            /// The card, the settings, one change at a place, and its values.
            func seed(_ place: UInt8, _ change: String, card: UInt8 = 0, settings: UInt8 = 0) -> [UInt8] {
                [card, settings, 0x01, place] + bytes(change)
            }
            let selection =
                "006F378407F0000000080101A52C5007544553542043385F2D02656E9F380E9F2B089E409F02069F1A029F3501"
            return [
                [], bytes("00 00 00"), bytes("02 01 00"), bytes("01 07 00"), bytes("00 0F 00"),
                seed(0, "00 9000 45" + selection + "BF0C0A9F2C070200FFFF800000"),
                seed(1, "00 9000 20 7721 8202010A 940408010101 8C139F02069F03069F1A0295055F2A029A039C01"),
                seed(2, "00 9000 17 7015 5A085413330089600119 5F340101 5F2403491231"),
                seed(3, "00 9000 06 DA04 01020304"), seed(5, "00 9000 0B 7709 9F270140 9F36020001"),
                seed(1, "00 6985 00"), seed(6, "00 6A82 00"), seed(2, "01 10"), seed(5, "02 20 01"),
                seed(4, "03 02 08"), seed(5, "04"), seed(1, "05 01 7F"), seed(3, "06"),
                seed(5, "07 00", settings: 0x0F), seed(6, "07 01", settings: 0x06),
            ]
        },
        run: { bytes in
            let input = Choices(bytes)
            let profile = input.element(of: try profiles.get())
            let card = try SimulatedContactlessCard(profile: profile, random: SeededRandomSource(seed: 1))
            _ = card.reset(warm: false)
            let aid = profile.contactless?.aid ?? []
            var tap = Tap(card: card, bends: [])
            let data = settings(input.number(below: 256), aid: aid)
            for _ in 0..<input.number(below: 4) { tap.bends.append(Bend(input)) }
            let combination = try ReaderCombination(aid: aid, kernel: .kernel8)
            var kernel = Kernel8(
                authorities: try profile.contactlessAuthorityKeys(.embedded()),
                now: CivilDate(year: 2026, month: 11, day: 28), random: SeededRandomSource(seed: 2))
            let select = try CommandAPDU(cla: 0, ins: 0xA4, p1: 4, p2: 0, data: aid, expectedLength: 256)
            let selection = tap.answer(select)
            guard case .response(let answer, _) = selection else { return }
            var step = kernel.activate(
                KernelActivation(
                    start: .b, isRestart: false, combination: combination,
                    indicators: PreProcessingIndicators(unprocessed: combination), selection: answer, data: data,
                    onlineResponse: nil))
            while case .transmit(let command) = step.next {
                // At most 62 entries of the file locator with 255 records each, and a few more commands.
                hold(tap.count <= 16_000, "the kernel ends")
                hold(command.data.count <= 255, "a command is a short APDU")
                step = kernel.receive(tap.answer(command))
            }
            guard case .finish(let outcome) = step.next, let result = kernel.result else {
                hold(false, "an ended kernel has a result")
                return
            }
            same(result.parameterSet.count, 8, "an outcome parameter set of eight bytes")
            hold(result.error == nil || outcome.dataRecord == nil, "an error has no data record")
            hold(outcome.status != .approved || result.error == nil, "no approval with an error")
            try check(result.dataRecord, of: tap, profile)
            // The field is off, and an answer comes late.
            let late = kernel.receive(.response(answer, took: .milliseconds(5)))
            guard case .finish(let ending) = late.next else {
                hold(false, "an answer after the end asks for nothing")
                return
            }
            same(ending.status, .endApplication, "an answer after the end decides nothing")
            hold(ending.dataRecord == nil, "an answer after the end has no data record")
        })

    /// What the kernel passes on of the cryptogram is what the card has made: its MAC covers it.
    private static func check(_ record: SecretDataObject?, of tap: Tap, _ profile: CardProfile) throws {
        guard let record else { return }
        let objects = record.value.withUnsafeBytes { (try? BERTLV.parse([UInt8]($0))) ?? [] }
        let made = (tap.cryptogram.flatMap { try? BERTLV.parse($0) })?.first?.children ?? []
        for tag: BERTag in [0x9F26, 0x9F27, 0x9F36] {
            same(
                objects.first { $0.tag == tag }?.value, made.first { $0.tag == tag }?.value,
                "\(tag) in the data record")
        }
    }

    /// The kernel's settings by bits: relay resistance, envelopes to read, envelopes to write, an amount above the
    /// limits, and restrictions by action codes.
    private static func settings(_ bits: Int, aid: [UInt8]) -> [BERTag: [UInt8]] {
        var data = Kernel8Configuration.shop(floorLimit: 10_000, cvmRequiredLimit: 5_000)
        data.merge(transaction) { _, new in new }
        data[EMVTag.terminalAID] = aid
        if bits & 0x01 != 0 { data[Kernel8Tag.kernelConfiguration] = [0x18, 0x00] }
        if bits & 0x02 != 0 {
            data[Kernel8Tag.tagsToRead] = [0x9F, 0x81, 0x11, 0x9F, 0x81, 0x1A]
            data[Kernel8Tag.discretionaryTagList] = [0x9F, 0x82, 0x1C, 0x9F, 0x81, 0x11]
        }
        if bits & 0x04 != 0 {
            data[Kernel8Tag.envelopesToWrite] =
                BERTLV.encode(0x9F_8112, [9, 8]) + BERTLV.encode(0x9F_8113, [UInt8](repeating: 7, count: 40))
        }
        if bits & 0x08 != 0 { data[EMVTag.amount] = [0, 0, 0, 1, 0x20, 0] }
        if bits & 0x10 != 0 { data[Kernel8Tag.actionCodeDenial] = [0xFF, 0xFF, 0xFF, 0xFF, 0xFF] }
        return data
    }

    // MARK: The card

    /// Commands to a contactless card: any, and those with which a kernel gets on. What the card enciphers is read
    /// again.
    private static let contactlessCard = FuzzTarget(
        "tap-commands", longestInput: 600,
        seeds: {
            let select = "00 14 00A404000E325041592E5359532E444446303100 01"
            let others =
                "00 05 00B2010C00 00 0A 80EA00000411223344 00 00 09 84320000039F811100 00 05 80CA9F3600 00 05 FFCA000000"
            let whole = "01 02 03 09 03 12 03 13 04 00 05 80 00 06 01 07 01 02 05 40 80 06 00 06 01"
            return (0..<UInt8(cards.count)).flatMap { [[$0] + bytes(select + others), [$0] + bytes(whole)] }
        },
        run: { bytes in
            let input = Choices(bytes)
            let profile = input.element(of: try profiles.get())
            let card = try SimulatedContactlessCard(profile: profile, random: SeededRandomSource(seed: 1))
            hold(!card.reset(warm: false).isEmpty, "a card in the field answers")
            var reader = TapReader(card: card, profile: profile)
            for _ in 0..<32 { try reader.go(input) }
        })

    private static let cards = [
        "k8-offline", "k8-second-tap", "k8-relay-slow", "k8-credit", "k8-envelopes", "k8-large-curve", "k8-plain",
    ]

    private static let profiles = Result { try cards.map { try CardProfileLibrary.profile($0) } }

    /// The objects of terminal and transaction that Entry Point gives.
    private static let transaction: [BERTag: [UInt8]] = [
        EMVTag.amount: [0, 0, 0, 0, 0x12, 0x50], EMVTag.amountOther: [0, 0, 0, 0, 0, 0],
        EMVTag.date: [0x26, 0x11, 0x28], EMVTag.transactionType: [0], EMVTag.currency: [0x09, 0x78],
        EMVTag.terminalCountry: [0x02, 0x76], EMVTag.terminalType: [0x22],
        EMVTag.unpredictableNumber: [1, 2, 3, 4], EMVTag.additionalCapabilities: [0x60, 0x00, 0xF0, 0xA0, 0x01],
    ]
}

/// A good card whose answers are changed on their way.
private struct Tap {
    let card: SimulatedContactlessCard
    var bends: [Bend]
    /// The number of commands.
    var count = 0
    /// The card's own answer to GENERATE AC.
    var cryptogram: [UInt8]?
    private var last = ResponseAPDU(status: .success)

    init(card: SimulatedContactlessCard, bends: [Bend]) { (self.card, self.bends) = (card, bends) }

    mutating func answer(_ command: CommandAPDU) -> KernelInput {
        defer { count += 1 }
        let right = card.process(command).response ?? ResponseAPDU(status: .success)
        if command.ins == 0xAE { cryptogram = right.data }
        var sent: ResponseAPDU? = right
        for bend in bends where bend.place == count { sent = sent.flatMap { bend.apply($0, after: last) } }
        last = right
        return sent.map { .response($0, took: .milliseconds(5)) } ?? .failure(.cardMute)
    }
}

/// A change of one answer of the card.
private struct Bend {
    private enum Change {
        case replace(ResponseAPDU), truncate(Int), flip(at: Int, UInt8), insert(at: Int, UInt8)
        /// The first object inside the template comes twice, or last.
        case double, rotate
        case length(at: Int, UInt8)
        /// The answer before comes again.
        case replay
        case silence
    }

    let place: Int
    private let change: Change

    init(_ input: Choices) {
        place = input.number(below: 12)
        switch input.number(below: 9) {
        case 0:
            let status = input.bytes(2)
            change = .replace(
                ResponseAPDU(
                    data: input.bytes(input.number(below: 256)), status: StatusWord(status[0], status[1])))
        case 1: change = .truncate(input.number(below: 256))
        case 2: change = .flip(at: input.number(below: 256), input.bytes(1)[0])
        case 3: change = .insert(at: input.number(below: 256), input.bytes(1)[0])
        case 4: change = .double
        case 5: change = .length(at: input.number(below: 256), input.bytes(1)[0])
        case 6: change = .replay
        case 7: change = input.happens(oneIn: 2) ? .silence : .rotate
        default: change = .rotate
        }
    }

    /// - Returns: nil for no answer.
    func apply(_ answer: ResponseAPDU, after last: ResponseAPDU) -> ResponseAPDU? {
        var data = answer.data
        switch change {
        case .replace(let other): return other
        case .replay: return last
        case .silence: return nil
        case .truncate(let count): data = Array(data.prefix(count))
        case .flip(let place, let bits): if data.indices.contains(place) { data[place] ^= bits }
        case .insert(let place, let byte): data.insert(byte, at: min(place, data.count))
        case .length(let place, let length): if data.indices.contains(place) { data[place] = length }
        case .double, .rotate:
            guard let template = (try? BERTLV.parse(data))?.first, let first = template.children.first else { break }
            let rest = template.children.dropFirst()
            data = BERTLV(template.tag, children: (isDoubling ? template.children : Array(rest)) + [first]).encoded
        }
        return ResponseAPDU(data: data, status: answer.status)
    }

    private var isDoubling: Bool { if case .double = change { true } else { false } }
}

/// The reader's side of a conversation with a card, as the input steers it.
private struct TapReader {
    let card: SimulatedContactlessCard
    let profile: CardProfile
    private let keys: KernelKeyPair?
    /// The card's key data (9F8103), and the enciphered answers since then, in their order.
    private var keyData: [UInt8]?
    private var messages: [Message] = []

    private enum Message {
        case record([UInt8])
        case envelope(BERTag, [UInt8])
    }

    init(card: SimulatedContactlessCard, profile: CardProfile) {
        (self.card, self.profile) = (card, profile)
        keys = try? KernelKeyPair(suite: .p256AES128, random: SeededRandomSource(seed: 3))
    }

    mutating func go(_ input: Choices) throws {
        switch input.number(below: 8) {
        case 0:
            guard let command = try? CommandAPDU(bytes: input.bytes(input.number(below: 256))) else { return }
            try send(command)
        case 1: try send(0x00, 0xA4, 0x04, 0x00, profile.contactless?.aid ?? [])
        case 2:
            let values = [0x02, 0, 0, 0, 0, 0, 0, 0] + (keys?.keyData ?? []) + [UInt8](repeating: 0, count: 9)
            try send(0x80, 0xA8, 0, 0, BERTLV.encode(0x83, values))
        case 3:
            let place = input.number(below: 32)
            try send(0x00, 0xB2, UInt8(place & 0x07), UInt8(place >> 3) << 3 | 0x04, [])
        case 4: try send(0x84, 0x32, 0, 0, [0x9F, 0x81, 0x11 + UInt8(input.number(below: 11))])
        case 5:
            let (kind, last) = (input.bytes(1)[0], input.bytes(1)[0])
            let count = profile.contactless?.cdol1.entries.reduce(0) { $0 + $1.length } ?? 0
            try send(0x80, 0xAE, kind, last, input.bytes(count))
        case 6: try write(input)
        default:
            (keyData, messages) = (nil, [])
            if input.happens(oneIn: 4) { card.powerOff() }
            if input.happens(oneIn: 4) { card.unlock() }
            _ = card.reset(warm: false)
        }
    }

    /// Writes an envelope, as the channel demands it after the messages so far.
    private mutating func write(_ input: Choices) throws {
        guard let keyData, let keys, var channel = try? keys.openChannel(cardKeyData: keyData) else { return }
        let envelope = try DataEnvelope(0x9F_8112, input.bytes(input.number(below: 16)))
        let sealed = try channel.sealEnvelope(envelope)
        // The numbers of the kernel's messages are followed no further.
        self.keyData = nil
        try send(0x84, 0x34, 0, input.bytes(1)[0] & 0x80, sealed)
    }

    private mutating func send(_ cla: UInt8, _ ins: UInt8, _ p1: UInt8, _ p2: UInt8, _ data: [UInt8]) throws {
        try send(try CommandAPDU(cla: cla, ins: ins, p1: p1, p2: p2, data: data, expectedLength: 256))
    }

    private mutating func send(_ command: CommandAPDU) throws {
        guard let response = card.process(command).response else {
            hold(false, "a card in the field answers")
            return
        }
        hold(response.data.count <= 256, "an answer fits into a short APDU")
        guard response.status == .success else { return }
        switch command.ins {
        case 0xA4: keyData = nil
        case 0xA8:
            let objects = try BERTLV.parse(response.data).first?.children ?? []
            messages = []
            keyData =
                command.data.dropFirst(10).starts(with: keys?.keyData ?? [0])
                ? objects.first { $0.tag == Kernel8Tag.cardKeyData }?.value : nil
        case 0xB2:
            let template = try BERTLV.parse(response.data).first
            if let template, template.tag == Kernel8Tag.encipheredRecord { messages.append(.record(template.value)) }
        case 0x32:
            messages.append(
                .envelope(BERTag(rawValue: command.data.reduce(0) { $0 << 8 | UInt32($1) }), response.data))
        case 0x34: keyData = nil
        default: return
        }
        try readAgain()
    }

    /// Opens the last message after those before it, with a channel of the same keys.
    private func readAgain() throws {
        guard let keyData, let keys, var channel = try? keys.openChannel(cardKeyData: keyData) else { return }
        for (index, message) in messages.enumerated() {
            do throws(SecureChannelError) {
                switch message {
                case .record(let value):
                    let content = try channel.openRecord(value)
                    hold(content.count == value.count, "an enciphered record is as long as the record")
                case .envelope(let tag, let value): _ = try channel.openEnvelope(value, tag: tag)
                }
            } catch {
                hold(false, "message \(index) of the card is read again: \(error)")
            }
        }
    }
}
