internal import SmartCard

/// Status words in plain words (ISO/IEC 7816-4 §5.6; EMV Book 1 §11, Book 3 §6.5).
enum StatusWordMeaning {
    /// What a status word says; with some it depends on the command that is answered.
    static func words(_ status: StatusWord, to instruction: CardInstruction?) -> String {
        switch (instruction, status.rawValue) {
        case (.select, 0x6283): "the application is blocked"
        case (.select, 0x6A81): "the card is blocked, or does not know the command"
        case (.select, 0x6A82): "no application of that name"
        case (.getProcessingOptions, 0x6985): "conditions of use not satisfied: take another application"
        case (.externalAuthenticate, 0x6300): "issuer authentication failed"
        case (.verify, 0x6983): "PIN blocked"
        case (.verify, 0x6984): "PIN reference data invalidated"
        case (.readRecord, 0x6A83): "no such record"
        case (.getData, 0x6A88): "no such data object"
        default: general(status)
        }
    }

    private static func general(_ status: StatusWord) -> String {
        if let words = exact[status.rawValue] { return words }
        switch (status.sw1, status.sw2 >> 4) {
        case (0x61, _): return "\(status.sw2 == 0 ? 256 : Int(status.sw2)) bytes of response wait"
        case (0x6C, _): return "wrong expected length: \(status.sw2 == 0 ? 256 : Int(status.sw2)) bytes are there"
        case (0x63, 0xC): return "verification failed, \(status.sw2 & 0x0F) tries left"
        case (0x62, _), (0x63, _): return "warning"
        case (0x64...0x6F, _): return "error"
        default: return "unknown"
        }
    }

    private static let exact: [UInt16: String] = [
        0x9000: "done", 0x6200: "warning, no information", 0x6281: "part of the data may be damaged",
        0x6282: "end of file before the expected length", 0x6283: "selected file invalidated",
        0x6300: "authentication failed", 0x6400: "execution error", 0x6581: "memory failure", 0x6700: "wrong length",
        0x6800: "function of the class not supported", 0x6882: "secure messaging not supported",
        0x6900: "command not allowed", 0x6982: "security status not satisfied",
        0x6983: "authentication method blocked", 0x6984: "reference data invalidated",
        0x6985: "conditions of use not satisfied", 0x6986: "command not allowed, no current file",
        0x6987: "secure messaging data objects missing", 0x6988: "secure messaging data objects wrong",
        0x6A80: "wrong data", 0x6A81: "function not supported", 0x6A82: "file not found", 0x6A83: "record not found",
        0x6A84: "not enough memory", 0x6A86: "wrong parameters P1 P2", 0x6A88: "referenced data not found",
        0x6B00: "wrong parameters P1 P2", 0x6D00: "instruction not supported", 0x6E00: "class not supported",
        0x6F00: "no precise diagnosis",
    ]
}
