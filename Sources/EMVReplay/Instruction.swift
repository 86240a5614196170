internal import SmartCard

/// The INS bytes that a replay tells apart (EMV Book 1 §11, Book 3 §6.5).
enum Instruction {
    static let select: UInt8 = 0xA4
    static let readRecord: UInt8 = 0xB2
    static let getProcessingOptions: UInt8 = 0xA8
    static let getData: UInt8 = 0xCA
    static let getChallenge: UInt8 = 0x84
    static let internalAuthenticate: UInt8 = 0x88
    static let verify: UInt8 = 0x20
    static let generateAC: UInt8 = 0xAE
    static let externalAuthenticate: UInt8 = 0x82

    /// Whether only an issuer sends this command: one with secure messaging, or one of EMV's script commands.
    static func isIssuerScript(_ command: CommandAPDU) -> Bool {
        command.cla & 0x0C != 0 || [0x16, 0x18, 0x1E, 0x24, 0xDA, 0xDC, 0xE2, 0xD2].contains(command.ins)
    }

    /// EMV's name of the command; its INS byte when it has none here.
    static func name(_ command: CommandAPDU) -> String {
        switch command.ins {
        case select: "SELECT"
        case readRecord: "READ RECORD"
        case getProcessingOptions: "GET PROCESSING OPTIONS"
        case getData: "GET DATA"
        case getChallenge: "GET CHALLENGE"
        case internalAuthenticate: "INTERNAL AUTHENTICATE"
        case verify: "VERIFY"
        case generateAC: "GENERATE AC"
        case externalAuthenticate: "EXTERNAL AUTHENTICATE"
        case _ where isIssuerScript(command): "issuer script command"
        default: "a command with INS " + [command.ins].hexadecimal
        }
    }
}

extension Collection<UInt8> {
    /// Upper-case hexadecimal digits.
    var hexadecimal: String {
        var text = ""
        for byte in self { text += (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true) }
        return text
    }
}
