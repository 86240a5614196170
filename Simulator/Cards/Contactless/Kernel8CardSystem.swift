import CardSecrets
import ContactlessKernel8
import Cryptography
import Determinism
import SmartCard
import Synchronization

/// The card's side of one secure channel, shared by copies: no number of a message is used twice.
final class Kernel8CardChannel: Sendable {
    private let channel: Mutex<CardSecureChannel>
    /// Tag 9F8103.
    let keyData: [UInt8]

    init(_ channel: consuming CardSecureChannel) {
        keyData = channel.keyData
        self.channel = Mutex(channel)
    }

    /// Calls `body` with the channel; nil when it failed.
    func use<Result: Sendable>(_ body: (inout CardSecureChannel) throws(SecureChannelError) -> Result) -> Result? {
        channel.withLock { channel in
            do throws(SecureChannelError) { return try body(&channel) } catch { return nil }
        }
    }
}

/// The operating system of a contactless card with one application for kernel 8 (Book C-8, seen from the card). It
/// takes one command at a time and always answers.
///
/// The extension in `Kernel8CardSystem+Cryptogram.swift` handles GENERATE AC and the data envelopes.
struct Kernel8CardSystem: Sendable {
    let application: Kernel8CardApplication
    private let blindingFactors: any RandomSource
    private let entropy: any RandomSource

    /// The application transaction counter (tag 9F36).
    var atc: UInt16
    var envelopes: [BERTag: [UInt8]]
    /// Whether the device waits for its owner, and whether it has said so.
    private(set) var isLocked: Bool
    var hasAskedForOwner = false
    var session = Session()
    /// The newest cryptograms returned by GENERATE AC, oldest first.
    private(set) var cryptograms: [IssuedCryptogram] = []

    private static let mostCryptograms = 1000
    /// `2PAY.SYS.DDF01`, the contactless directory.
    static let directoryName = Array("2PAY.SYS.DDF01".utf8)

    /// The volatile state between the moments when the field comes and goes.
    struct Session: Sendable {
        enum Phase: Sendable {
            case powered, selected, initiated
            /// After GENERATE AC with P2 80, until WRITE DATA with P2 00.
            case writing
            case closed
        }

        var phase = Phase.powered
        var channel: Kernel8CardChannel?
        var pdolValues: [UInt8] = []
        var relayExchange: RelayResistanceExchange?
        var relayExchanges = 0
    }

    init(_ application: Kernel8CardApplication, atc: UInt16, random: any RandomSource) {
        self.application = application
        (blindingFactors, entropy) = (random.stream("blinding factors"), random.stream("relay resistance"))
        (self.atc, envelopes, isLocked) = (atc, application.profile.envelopes, application.profile.isLocked)
    }

    /// The field went off. A device that has asked for its owner may be unlocked when it comes back.
    mutating func reset() {
        session = Session()
        if hasAskedForOwner, application.profile.isUnlockedByOwner { isLocked = false }
    }

    /// The owner unlocks the device.
    mutating func unlock() { isLocked = false }

    mutating func keep(_ cryptogram: IssuedCryptogram) {
        if cryptograms.count == Self.mostCryptograms { cryptograms.removeFirst() }
        cryptograms.append(cryptogram)
    }

    mutating func process(_ command: CommandAPDU) -> ResponseAPDU {
        switch (command.cla, command.ins) {
        case (0x00, 0xA4): return select(command)
        case (0x80, 0xA8): return getProcessingOptions(command)
        case (0x80, 0xEA): return exchangeRelayResistanceData(command)
        case (0x00, 0xB2): return readRecord(command)
        case (0x80, 0xAE): return generateAC(command)
        case (0x84, 0x32): return readData(command)
        case (0x84, 0x34): return writeData(command)
        case (0x00, _), (0x80, _), (0x84, _): return .failed(.instructionNotSupported)
        // Class FF belongs to readers.
        default: return .failed(.classNotSupported)
        }
    }

    // MARK: Selection

    private mutating func select(_ command: CommandAPDU) -> ResponseAPDU {
        guard command.p1 == 0x04, command.p2 == 0x00 || command.p2 == 0x02 else {
            return .failed(.incorrectParameters)
        }
        guard (1...16).contains(command.data.count) else { return .failed(.wrongLength) }
        if command.p2 == 0x00, command.data == Self.directoryName {
            session = Session()
            return .succeeded(directoryInformation)
        }
        // There is one application: no next one follows the one that is selected.
        let isNext: Bool
        if case .powered = session.phase { isNext = false } else { isNext = command.p2 == 0x02 }
        guard !isNext, application.profile.aid.starts(with: command.data) else { return .failed(.fileNotFound) }
        session = Session(phase: .selected)
        return ResponseAPDU(
            data: application.fileControlInformation,
            status: application.isBlocked ? .selectedFileInvalidated : .success)
    }

    private var directoryInformation: [UInt8] {
        let entries = BERTLV(0xBF0C, children: [application.directoryEntry])
        return BERTLV(
            0x6F, children: [BERTLV(0x84, Self.directoryName), BERTLV(0xA5, children: [entries])]
        ).encoded
    }

    // MARK: Initiation

    private mutating func getProcessingOptions(_ command: CommandAPDU) -> ResponseAPDU {
        guard command.p1 == 0, command.p2 == 0 else { return .failed(.incorrectParameters) }
        guard case .selected = session.phase, !application.isBlocked, atc < UInt16.max else {
            return .failed(.conditionsNotSatisfied)
        }
        guard let template = try? BERTLV.parse(command.data), template.count == 1, template.first?.tag == 0x83,
            let data = template.first?.value
        else { return .failed(.incorrectData) }
        let profile = application.profile
        guard let values = profile.pdol.split(data) else { return .failed(.wrongLength) }
        // Byte 3 of the kernel qualifier is the chosen channel. Without the qualifier, it is the first one.
        let chosen = values[Kernel8Tag.kernelQualifier]?.dropFirst(2).first ?? SecureChannelSuite.p256AES128.rawValue
        guard profile.suites.contains(chosen), SecureChannelSuite(rawValue: chosen) != nil,
            let channel = openChannel(values[Kernel8Tag.kernelKeyData] ?? [])
        else { return .failed(.conditionsNotSatisfied) }
        atc += 1
        session.phase = .initiated
        (session.channel, session.pdolValues) = (channel, data)
        if profile.fault == .counter {
            // One number is lost.
            _ = channel.use { (channel) throws(SecureChannelError) in try channel.sealRecord(SensitiveBytes([0])) }
        }
        return .succeeded(
            BERTLV(
                0x77,
                children: [
                    BERTLV(0x82, profile.interchangeProfile), BERTLV(0x94, application.fileLocator),
                    BERTLV(Kernel8Tag.cardKeyData, sent(channel.keyData)), BERTLV(0x8C, profile.cdol1.encoded),
                ]
            ).encoded)
    }

    /// Opens the channel with a new blinding factor; nil if the kernel's key is none.
    private func openChannel(_ kernelKeyData: [UInt8]) -> Kernel8CardChannel? {
        guard let factor = try? EllipticCurveScalar.random(on: .p256, from: blindingFactors),
            let channel = try? CardSecureChannel(
                key: application.key, kernelKeyData: kernelKeyData, blindingFactor: factor)
        else { return nil }
        return Kernel8CardChannel(channel)
    }

    /// The key data with the card's fault.
    private func sent(_ keyData: [UInt8]) -> [UInt8] {
        var sent = keyData
        switch application.profile.fault {
        case .blindingFactor: sent[sent.count - 1] ^= 0x01
        case .keyLength: sent.removeLast()
        case .blindedKey:
            // About every second x has no point.
            while (try? EllipticCurvePoint(smallerRootOf: Array(sent.prefix(32)), on: .p256)) != nil { sent[31] &+= 1 }
        default: break
        }
        return sent
    }

    /// Answers with own entropy and the times of the card.
    private mutating func exchangeRelayResistanceData(_ command: CommandAPDU) -> ResponseAPDU {
        guard command.p1 == 0, command.p2 == 0 else { return .failed(.incorrectParameters) }
        guard command.data.count == 4 else { return .failed(.wrongLength) }
        guard case .initiated = session.phase, let times = application.profile.relayResistance,
            session.relayExchanges < 1 + RelayResistanceRules.repeats
        else { return .failed(.conditionsNotSatisfied) }
        session.relayExchanges += 1
        let value =
            entropy.bytes(4) + times.minimum.bigEndianBytes + times.maximum.bigEndianBytes
            + times.transmission.bigEndianBytes
        let answer = BERTLV.encode(0x80, value)
        if let read = try? RelayResistanceAnswer(response: answer) {
            session.relayExchange = RelayResistanceExchange(terminalEntropy: command.data, answer: read)
        }
        return .succeeded(answer)
    }

    private mutating func readRecord(_ command: CommandAPDU) -> ResponseAPDU {
        let file = command.p2 >> 3
        guard command.p2 & 0x07 == 0x04, (1...30).contains(file), command.p1 > 0 else {
            return .failed(.incorrectParameters)
        }
        guard case .initiated = session.phase, let channel = session.channel else {
            return .failed(.conditionsNotSatisfied)
        }
        guard let record = application.records.first(where: { $0.file == file && $0.number == command.p1 }) else {
            return .failed(.recordNotFound)
        }
        let content = record.content
        guard application.profile.enciphersRecords else { return .succeeded(BERTLV.encode(0x70, content.copy())) }
        let sealed = channel.use { (channel) throws(SecureChannelError) in try channel.sealRecord(content.bytes) }
        return sealed.map { .succeeded(BERTLV.encode(Kernel8Tag.encipheredRecord, $0)) }
            ?? .failed(.internalFailure)
    }
}
