import Testing
import Text

/// Messages whose bytes other programs confirmed: tshark 4.0.17 reads them without malformed parts, or ecrterm reads
/// and writes them. Three are not confirmed by either.
struct ZVTVector: Sendable, CustomTestStringConvertible {
    enum Judge: Sendable {
        case both, tshark, ecrterm
        /// Written by the document alone.
        case none
    }

    let number: Int
    let name: String
    let isFromTerminal: Bool
    let hexadecimal: String
    let judge: Judge

    var testDescription: String { "\(number). \(name)" + (judge == .none ? " (not confirmed)" : "") }

    var bytes: [UInt8] { [UInt8](hexadecimal: hexadecimal) ?? [] }

    static let all: [ZVTVector] = [
        row(1, "registration with its choices", false, "0600170000008e09780300060d26080a0206d30a0206d1120140", .both),
        row(2, "registration with an empty container", false, "06000a000000be097803000600", .both),
        row(3, "positive answer", true, "800000", .both),
        row(3, "negative answer", true, "848300", .both),
        row(4, "completion of a registration", true, "060f1519002900000001490978060926040a0206d3120140", .both),
        row(5, "authorization", false, "06010c040000000012504909781940", .both),
        row(6, "insert card", true, "04ff020a01", .both),
        row(6, "remove card", true, "04ff014b", .both),
        row(7, "please wait, with a text", true, "04ff140e010610240e070c42697474652077617274656e", .both),
        row(
            8, "approved", true,
            "040f872700040000000012500b0000170c1425300d11230e2812170001197022f0f8eeeeeeeeeeee011929000000013b"
                + "31323334353600004909788700178a0a2a3435353630303030303539392020203cf0f1f447454e2e4e522e3a31323334"
                + "35368bf1f256697361204372656469740006174307a00000000310102f0c1f1001041f1101011f120101", .both),
        row(9, "print line", true, "06d11022544f54414c204555522031322c3530", .both),
        row(9, "last line", true, "06d10181", .both),
        row(
            10, "text block", true,
            "06d33206301f0701021f370101252609014007112a2a204b756e64656e62656c6567202a2a07094555522031322c3530"
                + "07000901ff", .both),
        row(11, "long text block", true, longBlock, .both),
        row(12, "completion", true, "060f00", .both),
        row(
            13, "declined", true,
            "040f292705040000000012500c1426120d112329000000014909788a0a8bf1f2566973612043726564697400", .both),
        row(14, "abort of what was declined", true, "061e0105", .both),
        row(14, "abort by time-out or key", true, "061e016c", .both),
        row(15, "abort by the till", false, "06b000", .ecrterm),
        row(16, "repeat receipt", false, "0620050000000303", .none),
        row(17, "reversal", false, "06301000000087001704000000001250490978", .tshark),
        row(
            18, "reversed", true, "040f252700040000000012500b0000180c1430010d112329000000014909788700188a0a37000017",
            .both),
        row(19, "refund", false, "06310d00000004000000000500490978", .tshark),
        row(20, "end of day", false, "065003000000", .both),
        row(
            21, "totals", true,
            "040f502700040000000075000b0000190c2359000d112349097860f0f5f3000100180300000000450000000000000000"
                + "0100000000100000000000000000020000000020000000000000000000000000000000", .both),
        row(22, "diagnosis", false, "06700506031b0101", .both),
        row(22, "initialization", false, "069303000000", .both),
        row(23, "date and time", true, "040108aa2611230c142530", .ecrterm),
        row(24, "status enquiry", false, "0501050000000302", .ecrterm),
        row(25, "ready", true, "060f0100", .both),
        row(25, "card inserted, with version", true, "060f0af0f0f6435020312e30dc", .both),
        row(
            26, "authorization with tip and last number", false,
            "06011904000000001450490978060d1f36060000000002001f1f0117", .both),
        row(27, "long trace number", true, "040f1227000b00000087000806071f2b0410015008", .both),
        row(28, "no open pre-authorization", true, "061e04b887ffff", .both),
        row(29, "pre-authorization", false, "06220a04000000005000490978", .ecrterm),
        row(29, "log-off", false, "060200", .ecrterm),
        row(29, "language", false, "08300101", .none),
        row(29, "send totals", false, "061003000000", .none),
    ]

    /// The extended length of 302 bytes, and lengths of data objects with two bytes.
    private static let longBlock =
        "06d3ff2e010682012a25820126"
        + (0..<7).map { "0728" + Array("line \($0)".utf8).padded(to: 40, with: 0x20).lowercaseHexadecimal }.joined()

    private static func row(
        _ number: Int, _ name: String, _ isFromTerminal: Bool, _ hexadecimal: String, _ judge: Judge
    ) -> ZVTVector {
        ZVTVector(
            number: number, name: name, isFromTerminal: isFromTerminal, hexadecimal: hexadecimal, judge: judge)
    }

    /// Returns the bytes of a message of the list.
    static func named(_ name: String) -> [UInt8] { all.first { $0.name == name }?.bytes ?? [] }
}
