import Text

/// A command of EMV, by class and instruction byte (EMV Book 3 §6.3.2).
enum EMVInstruction: Hashable, Sendable {
    case select, readRecord, getProcessingOptions, getData, internalAuthenticate, getChallenge, verify
    case generateApplicationCryptogram, externalAuthenticate, getResponse
    case cardBlock, applicationUnblock, applicationBlock, pinChange, putData, updateRecord
    case computeCryptographicChecksum, exchangeRelayResistanceData
    /// Kernel 8: data envelopes through the secure channel.
    case readData, writeData

    /// Any channel; with or without secure messaging.
    init?(class: UInt8, code: UInt8) {
        let kind = `class` & 0xF0
        switch (kind, code) {
        case (0x00, 0xA4): self = .select
        case (0x00, 0xB2): self = .readRecord
        case (0x80, 0xA8): self = .getProcessingOptions
        case (0x80, 0xCA), (0x00, 0xCA): self = .getData
        case (0x00, 0x88): self = .internalAuthenticate
        case (0x00, 0x84): self = .getChallenge
        case (0x00, 0x20): self = .verify
        case (0x80, 0xAE): self = .generateApplicationCryptogram
        case (0x00, 0x82): self = .externalAuthenticate
        case (0x00, 0xC0): self = .getResponse
        case (0x80, 0x16): self = .cardBlock
        case (0x80, 0x18): self = .applicationUnblock
        case (0x80, 0x1E): self = .applicationBlock
        case (0x80, 0x24), (0x00, 0x24), (0x00, 0x2C), (0x80, 0x2C): self = .pinChange
        case (0x00, 0xDA), (0x80, 0xDA): self = .putData
        case (0x00, 0xDC), (0x80, 0xDC): self = .updateRecord
        case (0x80, 0x2A): self = .computeCryptographicChecksum
        case (0x80, 0xEA): self = .exchangeRelayResistanceData
        case (0x80, 0x32): self = .readData
        case (0x80, 0x34): self = .writeData
        default: return nil
        }
    }

    var name: String {
        switch self {
        case .select: "SELECT"
        case .readRecord: "READ RECORD"
        case .getProcessingOptions: "GET PROCESSING OPTIONS"
        case .getData: "GET DATA"
        case .internalAuthenticate: "INTERNAL AUTHENTICATE"
        case .getChallenge: "GET CHALLENGE"
        case .verify: "VERIFY"
        case .generateApplicationCryptogram: "GENERATE AC"
        case .externalAuthenticate: "EXTERNAL AUTHENTICATE"
        case .getResponse: "GET RESPONSE"
        case .cardBlock: "CARD BLOCK"
        case .applicationUnblock: "APPLICATION UNBLOCK"
        case .applicationBlock: "APPLICATION BLOCK"
        case .pinChange: "PIN CHANGE/UNBLOCK"
        case .putData: "PUT DATA"
        case .updateRecord: "UPDATE RECORD"
        case .computeCryptographicChecksum: "COMPUTE CRYPTOGRAPHIC CHECKSUM"
        case .exchangeRelayResistanceData: "EXCHANGE RELAY RESISTANCE DATA"
        case .readData: "READ DATA"
        case .writeData: "WRITE DATA"
        }
    }

    /// The meaning of the two parameters; nil when they have none.
    func words(p1: UInt8, p2: UInt8) -> String? {
        switch self {
        case .select:
            (p1 == 0x04 ? "by name" : "by other means (P1 \([p1].hexadecimal))")
                + (p2 & 0x03 == 0x02 ? ", the next one" : "")
        case .readRecord, .updateRecord: "record \(p1) of file \(p2 >> 3)"
        case .getData, .putData: "data object " + ([p1, p2].drop { $0 == 0 }).hexadecimal
        case .verify:
            switch p2 {
            case 0x80: "plaintext PIN"
            case 0x88: "enciphered PIN"
            default: "reference \([p2].hexadecimal)"
            }
        case .generateApplicationCryptogram: Self.cryptogram(p1) + (p2 == 0x80 ? ", WRITE DATA follows" : "")
        case .writeData: p2 == 0x80 ? "another one follows" : nil
        case .pinChange:
            switch p2 {
            case 0x00: "unblock the PIN"
            case 0x01, 0x02: "change and unblock the PIN"
            default: nil
            }
        case .getProcessingOptions, .internalAuthenticate, .getChallenge, .externalAuthenticate, .getResponse,
            .cardBlock, .applicationUnblock, .applicationBlock, .computeCryptographicChecksum,
            .exchangeRelayResistanceData, .readData:
            nil
        }
    }

    /// EMV Book 3 §6.5.5.2.
    private static func cryptogram(_ p1: UInt8) -> String {
        let type =
            switch CryptogramType(rawValue: p1 & 0xC0) {
            case .aac: "AAC (decline)"
            case .tc: "TC (approve)"
            case .arqc: "ARQC (go online)"
            case nil: "a reserved type"
            }
        let signature =
            switch p1 & 0x18 {
            case 0x10: ", CDA signature requested"
            case 0x08: ", XDA signature requested"
            default: ""
            }
        return "asks for \(type)\(signature)"
    }
}
