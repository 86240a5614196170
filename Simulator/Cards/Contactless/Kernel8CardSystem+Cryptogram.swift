import CardSecrets
import ContactlessKernel8
import Cryptography
import SmartCard

/// READ DATA, GENERATE AC, and WRITE DATA (Book C-8 §5.5 to §5.7).
extension Kernel8CardSystem {
    private typealias Answer = CardVerificationResults.Answer

    mutating func readData(_ command: CommandAPDU) -> ResponseAPDU {
        guard command.p1 == 0, command.p2 == 0 else { return .failed(.incorrectParameters) }
        guard case .initiated = session.phase, let channel = session.channel else {
            return .failed(.conditionsNotSatisfied)
        }
        let tag = BERTag(rawValue: command.data.prefix(4).reduce(0) { $0 << 8 | UInt32($1) })
        guard command.data.count == 3, let envelope = try? DataEnvelope(tag, envelopes[tag] ?? []) else {
            return .failed(.referencedDataNotFound)
        }
        let sealed = channel.use { (channel) throws(SecureChannelError) in try channel.sealEnvelope(envelope) }
        return sealed.map { .succeeded(disturbed($0)) } ?? .failed(.internalFailure)
    }

    mutating func writeData(_ command: CommandAPDU) -> ResponseAPDU {
        guard command.p1 == 0, command.p2 & 0x7F == 0 else { return .failed(.incorrectParameters) }
        guard case .writing = session.phase, let channel = session.channel else {
            return .failed(.conditionsNotSatisfied)
        }
        let data = command.data
        let plain = channel.use { (channel) throws(SecureChannelError) in
            try channel.openWritten(data).withUnsafeBytes { [UInt8]($0) }
        }
        guard let object = (try? BERTLV.parse(plain ?? []))?.first, object.encoded == plain,
            let envelope = try? DataEnvelope(object.tag, object.value)
        else { return .failed(.incorrectData) }
        guard let mac = channel.use({ (channel) throws(SecureChannelError) in try channel.acknowledge(envelope) })
        else { return .failed(.internalFailure) }
        envelopes[envelope.tag] = envelope.value
        if command.p2 == 0 { session.phase = .closed }
        return .succeeded(disturbed(mac))
    }

    /// A message that ends with a MAC, with the card's fault.
    private func disturbed(_ message: [UInt8]) -> [UInt8] {
        guard application.profile.fault == .envelopeMAC, let last = message.last else { return message }
        return message.dropLast() + [last ^ 0x01]
    }

    mutating func generateAC(_ command: CommandAPDU) -> ResponseAPDU {
        guard command.p1 & 0x3F == 0, let asked = Answer(rawValue: command.p1 >> 6), command.p2 & 0x7F == 0 else {
            return .failed(.incorrectParameters)
        }
        guard case .initiated = session.phase, let channel = session.channel else {
            return .failed(.conditionsNotSatisfied)
        }
        guard let values = application.profile.cdol1.split(command.data) else { return .failed(.wrongLength) }
        let judgment = judge(asked, values)
        let information = issuerApplicationData(judgment.answer)
        let plain =
            [
                BERTLV(0x9F27, [judgment.answer.rawValue << 6]), BERTLV(0x9F36, atc.bigEndianBytes),
                BERTLV(0x9F10, information), BERTLV(Kernel8Tag.verificationDecision, [judgment.verification]),
            ] + judgment.objects
        let input = ApplicationMACInput(
            pdolValues: session.pdolValues, cdol1Values: command.data, relayResistance: session.relayExchange,
            answer: plain, staticDataHash: application.staticDataHash)
        guard let iadMAC = channel.use({ (channel) throws(SecureChannelError) in try channel.iadMAC(of: input) }),
            let cryptogram = try? cryptogram(values, Self.withMAC(information, iadMAC)),
            var edaMAC = channel.use({ (channel) throws(SecureChannelError) in
                try channel.edaMAC(cryptogram: cryptogram, iadMAC: iadMAC)
            })
        else { return .failed(.internalFailure) }
        if application.profile.fault == .edaMAC { edaMAC[7] ^= 0x01 }
        session.phase = command.p2 == 0 ? .closed : .writing
        keep(
            IssuedCryptogram(
                kind: IssuedCryptogram.Kind(judgment.answer), counter: atc,
                minorUnits: values[0x9F02].flatMap(CardTransaction.amount), lastFour: application.lastFour))
        let objects =
            Array(plain.prefix(2)) + [BERTLV(0x9F26, cryptogram), BERTLV(Kernel8Tag.edaMAC, edaMAC)]
            + plain.dropFirst(2)
        return .succeeded(BERTLV(0x77, children: objects).encoded)
    }

    /// The card's decision: the type of the cryptogram, the verification of the cardholder (9F8102), and what else it
    /// tells the kernel.
    private mutating func judge(
        _ asked: CardVerificationResults.Answer, _ values: [BERTag: [UInt8]]
    ) -> (answer: CardVerificationResults.Answer, verification: UInt8, objects: [BERTLV]) {
        let profile = application.profile
        var objects: [BERTLV] = []
        if let results = dateResults(values[0x9A] ?? []) {
            objects.append(BERTLV(Kernel8Tag.cardVerificationResults, results))
        }
        if isLocked {
            hasAskedForOwner = true
            // Restart at B, and look at the phone.
            return (.aac, 0x00, objects + [BERTLV(Kernel8Tag.restartIndicator, [0x20, 0x20])])
        }
        var answer: Answer =
            switch profile.decision {
            case .decline: .aac
            case .online: asked == .aac ? .aac : .arqc
            case .offline: asked
            }
        if profile.fault == .higherCryptogram { answer = .tc }
        if answer == .aac, let restart = profile.restart {
            objects.append(
                BERTLV(Kernel8Tag.restartIndicator, profile.fault == .restartLength ? [restart[0]] : restart))
        }
        return (answer, verification(values[Kernel8Tag.riskManagementData] ?? []), objects)
    }

    /// The cardholder verification decision (9F8102). Above the terminal's limit it is the first method that card and
    /// terminal have.
    private func verification(_ riskManagementData: [UInt8]) -> UInt8 {
        let (capability, second) = (riskManagementData.first ?? 0, riskManagementData.dropFirst().first ?? 0)
        guard second & 0x80 != 0 else { return capability & 0x08 != 0 ? 0x00 : 0x0F }
        let method = application.profile.verification.first { capability & $0.capability != 0 }
        return method?.code ?? (capability & 0x08 != 0 ? 0x00 : 0xFF)
    }

    /// The card TVR (9F8104) for the date of the terminal; nil without a bit.
    private func dateResults(_ date: [UInt8]) -> [UInt8]? {
        var second: UInt8 = 0
        if let expiry = application.expiry, expiry.lexicographicallyPrecedes(date) { second |= 0x40 }
        if let effective = application.effective, date.lexicographicallyPrecedes(effective) { second |= 0x20 }
        return second == 0 ? nil : [0x00, second, 0x00, 0x00, 0x80]
    }

    /// Tag 9F10, 32 bytes, of which the last eight are left for the IAD-MAC.
    private func issuerApplicationData(_ answer: CardVerificationResults.Answer) -> [UInt8] {
        application.issuerApplicationData
            ?? IssuerApplicationData(
                version: .aes, derivationKeyIndex: 1, results: CardVerificationResults(first: answer)
            ).encoded
    }

    /// The issuer application data as the cryptogram covers it, and as the kernel passes it on.
    private static func withMAC(_ information: [UInt8], _ mac: [UInt8]) -> [UInt8] {
        information.prefix(24) + mac + information.dropFirst(24 + mac.count)
    }

    /// The application cryptogram: AES with the session key of the counter (EMV Book 2 §8.1, Book E §4).
    private func cryptogram(
        _ values: [BERTag: [UInt8]], _ information: [UInt8]
    ) throws(CryptogramError) -> [UInt8] {
        let terminalData = ApplicationCryptogram.Input.terminalDataObjects.flatMap { values[$0.tag] ?? [] }
        let key = try CryptogramVersion.aes.sessionKey(
            masterKey: application.masterKey.bytes, atc: atc, unpredictableNumber: values[0x9F37] ?? [])
        return try CryptogramVersion.aes.mac(
            terminalData + application.profile.interchangeProfile + atc.bigEndianBytes + information, key: key,
            padding: .markerAndZeros)
    }
}
