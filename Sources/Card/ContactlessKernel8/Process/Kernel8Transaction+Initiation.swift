import CardSecrets
import Determinism
import EMV
import EntryPoint
import SmartCard

/// From the answer to SELECT to the answer to GET PROCESSING OPTIONS (Book C-8, states 1, 2, and 20).
extension Kernel8Transaction {
    /// Reads the answer to SELECT, and makes the data that the PDOL may ask for.
    ///
    /// - Parameters:
    ///   - configuration: the configuration in `data`.
    ///   - data: the data of the activation.
    ///   - answer: the data field of the answer, without its status.
    ///   - certificates: the suites of the reader's keys for a RID, in the order of preference.
    ///   - random: the source of the kernel's key.
    /// - Throws: ``InitiationError``
    init(
        _ configuration: Kernel8Configuration, _ data: [BERTag: [UInt8]], answer: [UInt8],
        certificates: ([UInt8]) -> [CertificateSuite], random: any RandomSource
    ) throws(InitiationError) {
        var database = Kernel8Database(data)
        for tag in Self.madeByKernel { database[tag] = nil }
        (database[Kernel8Tag.readDataStatus], database[Kernel8Tag.writeDataStatus]) = ([0x00], [0x00])
        let card: CardQualifier
        do throws(Kernel8Error) {
            _ = try database.store(answer, template: EMVTag.fileControlInformation)
            try database.demand(EMVTag.dfName, Kernel8Tag.cardQualifier)
            guard let qualifier = CardQualifier(database[Kernel8Tag.cardQualifier] ?? []) else {
                throw .missing(Kernel8Tag.cardQualifier)
            }
            card = qualifier
        } catch {
            throw InitiationError(error, selectsNext: true, database)
        }
        database[EMVTag.cvmResults] = [0, 0, 0]
        database[EMVTag.verificationResults] = Kernel8VerificationResults.kernel8.bytes
        database[EMVTag.capabilities] = [configuration.cardDataInputCapability, 0, configuration.securityCapability]
        do throws(Kernel8Error) {
            guard let suite = card.chosenSuite else { throw .noCommonSuite }
            let key: KernelKeyPair
            do throws(SecureChannelError) { key = try KernelKeyPair(suite: suite, random: random) } catch {
                throw .cryptography(error)
            }
            database[Kernel8Tag.kernelQualifier] =
                KernelQualifier(
                    authenticatesLocally: configuration.authenticatesLocally, channel: suite,
                    certificates: certificates(Array((database[EMVTag.dfName] ?? []).prefix(5)))
                ).bytes
            database[Kernel8Tag.kernelKeyData] = key.keyData
            let list = try Self.list(EMVTag.pdol, database[EMVTag.pdol] ?? [], limit: Self.longestPDOL)
            (self.configuration, kernelKey, pdolValues) = (configuration, key, database.filled(list))
        } catch {
            throw InitiationError(error, selectsNext: false, database)
        }
        if card.noticesFieldOff { parameters.fieldOff = configuration.fieldOffHoldTime }
        self.database = database
        (envelopesToRead, envelopesToWrite) = Self.envelopes(data)
    }

    /// The most bytes of PDOL values: tag 83 and its length come before them in a command of 255 bytes.
    private static let longestPDOL = 252

    /// What the terminal of another kernel may have given, and this kernel makes itself.
    private static let madeByKernel: [BERTag] = [
        EMVTag.verificationResults, EMVTag.capabilities, EMVTag.cvmResults, Kernel8Tag.iadMAC,
        Kernel8Tag.relayResistanceExcess, Kernel8Tag.kernelKeyData, Kernel8Tag.kernelQualifier,
        Kernel8Tag.errorIndication, Kernel8Tag.readDataStatus, Kernel8Tag.writeDataStatus,
    ]

    /// The envelopes that the terminal wants to read (9F8203, a list of tags) and to write (BF8104). What is no
    /// envelope is left out.
    private static func envelopes(_ data: [BERTag: [UInt8]]) -> ([BERTag], [DataEnvelope]) {
        let tags = (try? StaticDataHash.tags(in: data[Kernel8Tag.tagsToRead] ?? [])) ?? []
        let objects = (try? BERTLV.parse(data[Kernel8Tag.envelopesToWrite] ?? [])) ?? []
        return (
            tags.filter(DataEnvelope.tags.contains), objects.compactMap { try? DataEnvelope($0.tag, $0.value) }
        )
    }

    /// GET PROCESSING OPTIONS with the values of the PDOL.
    var processingOptions: CommandAPDU? { Self.command(0x80, 0xA8, 0, 0, BERTLV.encode(0x83, pdolValues)) }

    /// Takes the answer to GET PROCESSING OPTIONS, and opens the secure channel.
    mutating func takeProcessingOptions(_ answer: [UInt8]) throws(Kernel8Error) {
        _ = try database.store(answer, template: EMVTag.responseFormat2)
        try database.demand(EMVTag.interchangeProfile, EMVTag.fileLocator, Kernel8Tag.cardKeyData)
        if !database.has(EMVTag.cdol1) {
            guard database.has(Kernel8Tag.defaultCDOL1) else { throw .missing(EMVTag.cdol1) }
            database[EMVTag.cdol1] = database[Kernel8Tag.defaultCDOL1]
        }
        let (key, keyData) = (kernelKey, database[Kernel8Tag.cardKeyData] ?? [])
        channel = try Self.deciphering { () throws(SecureChannelError) in
            try Kernel8Channel(key.openChannel(cardKeyData: keyData))
        }
        recordsLeft = try Kernel8Record.all(in: database[EMVTag.fileLocator] ?? [])
    }
}

/// An error before GET PROCESSING OPTIONS, with what is known then.
struct InitiationError: Error {
    let error: Kernel8Error
    /// Whether Entry Point tries the next application.
    let selectsNext: Bool
    let database: Kernel8Database

    init(_ error: Kernel8Error, selectsNext: Bool, _ database: Kernel8Database) {
        (self.error, self.selectsNext, self.database) = (error, selectsNext, database)
    }
}
