internal import SmartCard

/// What of an issuer's script may be written down.
enum IssuerScriptMask {
    /// VERIFY, CHANGE REFERENCE DATA, RESET RETRY COUNTER and what writes data, each also with data objects: their data
    /// may be a PIN or the card's.
    private static let secret: Set<UInt8> = [
        0x20, 0x21, 0x24, 0x25, 0x2C, 0x2D, 0xD2, 0xD6, 0xD7, 0xDA, 0xDB, 0xDC, 0xDD,
    ]

    /// The value of a template 71 or 72 with zeros for data that nobody may see.
    static func masked(_ template: [UInt8]) -> [UInt8] {
        guard let objects = try? BERTLV.parse(template) else { return [UInt8](repeating: 0, count: template.count) }
        return objects.flatMap { object in
            guard object.tag == 0x86 else { return object.encoded }
            guard let command = try? CommandAPDU(bytes: object.value) else {
                return BERTLV.encode(0x86, [UInt8](repeating: 0, count: object.value.count))
            }
            guard secret.contains(command.ins), !command.data.isEmpty else { return object.encoded }
            var bytes = object.value
            // The data stand behind the header and Lc.
            let first = command.isExtended ? 7 : 5
            for index in first..<min(bytes.count, first + command.data.count) { bytes[index] = 0 }
            return BERTLV.encode(0x86, bytes)
        }
    }
}

extension [UInt8] {
    /// Upper-case hexadecimal digits.
    var hexadecimal: String {
        map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()
    }
}
