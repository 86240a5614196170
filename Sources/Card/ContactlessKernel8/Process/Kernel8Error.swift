public import EMV
public import SmartCard

/// Why kernel 8 ended an application without a decision. It names tags, commands, and offsets, never values.
public enum Kernel8Error: Error, Hashable, Sendable, CustomStringConvertible {
    /// A command of the kernel.
    public enum Command: String, Hashable, Sendable {
        case getProcessingOptions = "GET PROCESSING OPTIONS"
        case exchangeRelayResistanceData = "EXCHANGE RELAY RESISTANCE DATA"
        case readRecord = "READ RECORD"
        case generateAC = "GENERATE AC"
    }

    /// The answer is no BER-TLV, or not one template that the command allows; the offset in the answer.
    case malformedAnswer(offset: Int)
    /// A list of the card (PDOL, CDOL1, or the extended SDA tag list) cannot be read; the offset in the list.
    case malformedList(BERTag, offset: Int)
    /// A list asks for more than a command carries.
    case listTooLong(BERTag)
    /// The file locator (94) names no records that a card can have, or has a wrong length; the offset in its value.
    case malformedFileLocator(offset: Int)
    /// An object of the card has a wrong length or format, stands there twice with two values, or is not the card's.
    case dataObject(DataObjectError)
    /// The answer to EXCHANGE RELAY RESISTANCE DATA has another form.
    case relayResistance(RelayResistanceError)
    /// The card has not sent a mandatory object.
    case missing(BERTag)
    /// The card refused the command.
    case refused(Command, StatusWord)
    /// The card offers no secure channel that the kernel has.
    case noCommonSuite
    /// The secure channel can't be opened, or a message of it can't be deciphered.
    case channel(SecureChannelError)
    /// An answer to EXCHANGE RELAY RESISTANCE DATA came before the card can have made it.
    case answeredTooEarly
    /// The card answers GENERATE AC with a cryptogram that the kernel did not allow; 9F27.
    case cryptogram(information: UInt8, asked: Kernel8Decision)
    /// Local authentication has no 8F, 90, or 9F46.
    case noCertificate(BERTag)
    /// The IAD-MAC has no place in the issuer application data.
    case placement(IADMACError)
    /// The EDA-MAC is wrong: the cryptogram was not made in this channel.
    case wrongEDAMAC
    /// The data of the activation can't be used.
    case configuration(Kernel8ConfigurationError)
    /// The terminal has not given the object of the transaction.
    case transactionData(BERTag)
    /// The command has no answer.
    case exchange(CardChannelError)
    /// libcrypto failed.
    case cryptography(SecureChannelError)

    /// Level 1 to level 3 and the status word of the error indication (tag 9F8204, bytes 1 to 5).
    public var indication: [UInt8] {
        let (levels, status) = codes
        return levels + [status?.sw1 ?? 0, status?.sw2 ?? 0]
    }

    private var codes: (levels: [UInt8], status: StatusWord?) {
        switch self {
        case .missing: ([0, 0x01, 0], nil)
        case .refused(_, let status): ([0, 0x03, 0], status)
        case .malformedAnswer, .malformedList, .listTooLong, .malformedFileLocator, .dataObject, .relayResistance:
            ([0, 0x04, 0], nil)
        case .noCommonSuite, .answeredTooEarly, .cryptogram, .noCertificate, .placement: ([0, 0x06, 0], nil)
        case .configuration: ([0, 0x0F, 0], nil)
        case .channel: ([0, 0x10, 0], nil)
        case .cryptography: ([0, 0x12, 0], nil)
        case .wrongEDAMAC: ([0, 0x13, 0], nil)
        case .transactionData: ([0, 0, 0x03], nil)
        case .exchange(.canceled): ([0, 0, 0x02], nil)
        case .exchange(.timedOut), .exchange(.cardRemoved), .exchange(.cardMute): ([0x01, 0, 0], nil)
        case .exchange(.protocolViolation): ([0x03, 0, 0], nil)
        case .exchange(.readerUnavailable), .exchange(.notSupported): ([0x02, 0, 0], nil)
        }
    }

    public var description: String {
        switch self {
        case .malformedAnswer(let offset): "the card's answer is not one template of data objects, at offset \(offset)"
        case .malformedList(let tag, let offset): "the card's list \(tag) can't be read, at offset \(offset)"
        case .listTooLong(let tag): "the card's list \(tag) asks for more than a command carries"
        case .malformedFileLocator(let offset): "the file locator (94) names no possible records, at offset \(offset)"
        case .dataObject(let error): error.description
        case .relayResistance(let error): error.description
        case .missing(let tag): "data object \(tag) is missing on the card"
        case .refused(let command, let status): "the card refuses \(command.rawValue) with \(status)"
        case .noCommonSuite: "card and kernel have no secure channel in common (9F2C)"
        case .channel(let error), .cryptography(let error): error.description
        case .answeredTooEarly: "the answer to EXCHANGE RELAY RESISTANCE DATA came too early"
        case .cryptogram(let information, let asked):
            "the card answers GENERATE AC for '\(asked)' with cryptogram information \(information)"
        case .noCertificate(let tag): "local authentication lacks \(tag)"
        case .placement(let error): error.description
        case .wrongEDAMAC: SecureChannelError.wrongMAC(.enhancedDataAuthentication).description
        case .configuration(let error): error.description
        case .transactionData(let tag): "the terminal has not given \(tag): add it to the data of the transaction"
        case .exchange(let error): error.description
        }
    }
}

/// Why local authentication failed, which is a bit of the TVR, and not an error of the kernel.
public enum LocalAuthenticationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The reader has no key with the index (8F) of the application's payment system.
    case unknownAuthority(index: UInt8)
    /// A certificate failed a check.
    case certificate(ECCCertificateError)
    /// The channel was not made with the certified key.
    case otherKey

    public var description: String {
        switch self {
        case .unknownAuthority(let index): "no CA public key with index \(index): load the payment system's keys"
        case .certificate(let error): error.description
        case .otherKey: "the secure channel was not made with the certified key of the card"
        }
    }
}
