internal import SmartCard

/// The commands that the card knows.
enum CardInstruction: UInt8, CaseIterable, Sendable {
    case cardBlock = 0x16
    case applicationUnblock = 0x18
    case applicationBlock = 0x1E
    case verify = 0x20
    case pinUnblock = 0x24
    case externalAuthenticate = 0x82
    case getChallenge = 0x84
    case internalAuthenticate = 0x88
    case select = 0xA4
    case getProcessingOptions = 0xA8
    case generateAC = 0xAE
    case readRecord = 0xB2
    case getData = 0xCA
    case putData = 0xDA
    case updateRecord = 0xDC

    /// The class bytes that it is known under.
    var classes: Set<UInt8> {
        switch self {
        case .select, .readRecord, .verify, .externalAuthenticate, .getChallenge, .internalAuthenticate: [0x00]
        case .getProcessingOptions, .generateAC, .getData: [0x80]
        // Secure messaging: 84 in the EMV format, 04 in that of ISO/IEC 7816-4.
        case .cardBlock, .applicationUnblock, .applicationBlock, .pinUnblock: [0x84]
        case .putData, .updateRecord: [0x04, 0x84]
        }
    }

    /// Whether it carries data to the card.
    var sendsData: Bool {
        switch self {
        case .readRecord, .getData, .getChallenge: false
        case .select, .verify, .externalAuthenticate, .internalAuthenticate, .getProcessingOptions, .generateAC,
            .cardBlock, .applicationUnblock, .applicationBlock, .pinUnblock, .putData, .updateRecord:
            true
        }
    }
}

extension StatusWord {
    /// 6987: secure messaging data objects are missing.
    static let secureMessagingMissing = StatusWord(rawValue: 0x6987)
    /// 6988: secure messaging data objects are wrong.
    static let secureMessagingIncorrect = StatusWord(rawValue: 0x6988)
    /// 6A80: incorrect command data.
    static let incorrectData = StatusWord(rawValue: 0x6A80)
    /// 6F00: no precise diagnosis.
    static let internalFailure = StatusWord(rawValue: 0x6F00)
}
