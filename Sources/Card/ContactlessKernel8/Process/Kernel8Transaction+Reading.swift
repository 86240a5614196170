import CardSecrets
import EMV
import SmartCard

/// Relay resistance, records, and data envelopes (Book C-8, states 21 to 25).
extension Kernel8Transaction {
    /// Whether kernel and card both perform relay resistance (AIP byte 2, 01).
    var performsRelayResistance: Bool { configuration.performsRelayResistance && secondProfileByte & 0x01 != 0 }

    /// The entropy of the kernel. A repeated exchange takes the same one, which is the unpredictable number in CDOL1,
    /// as the one implementation known does.
    private var terminalEntropy: [UInt8] { database[EMVTag.unpredictableNumber] ?? [0, 0, 0, 0] }

    /// EXCHANGE RELAY RESISTANCE DATA.
    var relayResistanceCommand: CommandAPDU? { Self.command(0x80, 0xEA, 0, 0, terminalEntropy) }

    /// Judges an exchange of relay resistance data.
    ///
    /// - Parameters:
    ///   - answer: the data field of the answer.
    ///   - elapsed: the time that the exchange took.
    ///   - exchange: 1 for the first one.
    /// - Returns: whether the kernel repeats the exchange.
    /// - Throws: ``Kernel8Error``
    mutating func takeRelayResistance(
        _ answer: [UInt8], elapsed: Duration, exchange: Int
    ) throws(Kernel8Error) -> Bool {
        let read: RelayResistanceAnswer
        do throws(RelayResistanceError) { read = try RelayResistanceAnswer(response: answer) } catch {
            throw .relayResistance(error)
        }
        relayExchange = RelayResistanceExchange(terminalEntropy: terminalEntropy, answer: read)
        switch configuration.relayResistance.judge(read, elapsed: elapsed, exchange: exchange) {
        case .tooFast: throw .answeredTooEarly
        case .again(let excess):
            database[Kernel8Tag.relayResistanceExcess] = excess.bytes
            return true
        case .done(let excess, let found):
            database[Kernel8Tag.relayResistanceExcess] = excess.bytes
            results.formUnion(found)
            return false
        }
    }

    /// READ RECORD for the next record of the file locator; nil after the last one.
    var nextRecordCommand: CommandAPDU? {
        recordsLeft.first.flatMap { Self.command(0x00, 0xB2, $0.number, $0.file << 3 | 0x04) }
    }

    /// Takes a record, plain (template 70) or enciphered (DA).
    mutating func takeRecord(_ answer: [UInt8]) throws(Kernel8Error) {
        guard let record = recordsLeft.first else { return }
        let template = try Kernel8Database.template(answer, [EMVTag.recordTemplate, Kernel8Tag.encipheredRecord])
        var content = Array(answer[template.value])
        defer { content.wipe() }
        if template.tag == Kernel8Tag.encipheredRecord, let channel {
            let enciphered = content
            content = try Self.deciphering { () throws(SecureChannelError) in
                try channel.openRecord(enciphered).copied()
            }
        }
        try database.store(content, 0..<content.count)
        if record.isSigned { signedRecords.append(SecretDataObject(content)) }
        recordsLeft.removeFirst()
    }

    /// READ DATA for the next envelope that the terminal wants; nil after the last one.
    var nextReadCommand: CommandAPDU? {
        envelopesToRead.first.flatMap { Self.command(0x84, 0x32, 0, 0, $0.bytes) }
    }

    /// Takes the answer to READ DATA. A refusal or a wrong MAC is no error: the status object says so.
    mutating func takeEnvelope(_ response: ResponseAPDU) {
        guard let channel, !envelopesToRead.isEmpty else { return }
        let tag = envelopesToRead.removeFirst()
        do throws(SecureChannelError) {
            guard response.status == .success else { throw .answerLength(0) }
            database.keepEnvelope(tag, try channel.openEnvelope(response.data, tag))
        } catch {
            hasUnreadEnvelope = true
        }
        if envelopesToRead.isEmpty, !hasUnreadEnvelope { database[Kernel8Tag.readDataStatus] = [0x80] }
    }

    /// WRITE DATA for the next envelope; nil after the last one. P2 says whether another one follows.
    mutating func nextWriteCommand() -> CommandAPDU? {
        guard let envelope = envelopesToWrite.first, let channel,
            let sealed = try? channel.sealEnvelope(envelope)
        else { return nil }
        return Self.command(0x84, 0x34, 0, envelopesToWrite.count > 1 ? 0x80 : 0x00, sealed)
    }

    /// Takes the answer to WRITE DATA. After a refusal or a wrong MAC the rest is not written.
    ///
    /// - Returns: whether the kernel goes on writing.
    mutating func takeWritten(_ response: ResponseAPDU) -> Bool {
        guard let channel, let envelope = envelopesToWrite.first, response.status == .success,
            (try? channel.checkWritten(envelope, response.data)) != nil
        else { return false }
        envelopesToWrite.removeFirst()
        if envelopesToWrite.isEmpty { database[Kernel8Tag.writeDataStatus] = [0x80] }
        return !envelopesToWrite.isEmpty
    }
}
