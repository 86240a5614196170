import SmartCard

/// Messages of contact cards and hosts: FCI, records with card data and keys, responses, and the chip data of a
/// request.
enum SampleRecords {
    static let all: [[UInt8]] = [
        fileControlInformation, cardData, riskData, certificate, keys, answer, request,
    ]

    /// Exactly `count` bytes of data objects; a private one at the end fills the rest.
    static func message(of count: Int) -> [UInt8] {
        var message: [UInt8] = []
        var index = 0
        while message.count + all[index % all.count].count + 8 <= count {
            message += all[index % all.count]
            index += 1
        }
        let rest = count - message.count
        let header = rest < 130 ? 3 : rest < 260 ? 4 : 5
        return message + BERTLV.encode(0xDF01, bytes(rest - header))
    }

    private static func bytes(_ count: Int) -> [UInt8] {
        (0..<max(0, count)).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ 61) }
    }

    private static let list: [UInt8] = [
        0x9F, 0x02, 6, 0x9F, 0x03, 6, 0x9F, 0x1A, 2, 0x95, 5, 0x5F, 0x2A, 2, 0x9A, 3, 0x9C, 1, 0x9F, 0x37, 4,
    ]

    private static let fileControlInformation = BERTLV(
        0x6F,
        children: [
            BERTLV(0x84, [0xA0, 0, 0, 0, 3, 0x10, 0x10]),
            BERTLV(
                0xA5,
                children: [
                    BERTLV(0x50, Array("VISA CREDIT".utf8)), BERTLV(0x87, [1]),
                    BERTLV(0x9F38, [0x9F, 0x1A, 2, 0x9F, 0x33, 3]), BERTLV(0x5F2D, Array("enfr".utf8)),
                    BERTLV(0xBF0C, children: [BERTLV(0x9F4D, [0x0B, 0x0A])]),
                ]),
        ]
    ).encoded

    private static let cardData = BERTLV(
        0x70,
        children: [
            BERTLV(0x57, bytes(17)), BERTLV(0x5F20, bytes(20)), BERTLV(0x5A, bytes(8)), BERTLV(0x5F24, bytes(3)),
            BERTLV(0x5F25, bytes(3)), BERTLV(0x5F28, [8, 0x40]), BERTLV(0x5F34, [1]), BERTLV(0x9F07, [0xFF, 0xC0]),
        ]
    ).encoded

    private static let riskData = BERTLV(
        0x70,
        children: [
            BERTLV(0x8C, list), BERTLV(0x8D, [0x8A, 2] + list), BERTLV(0x8E, bytes(16)), BERTLV(0x9F0D, bytes(5)),
            BERTLV(0x9F0E, bytes(5)), BERTLV(0x9F0F, bytes(5)), BERTLV(0x9F08, bytes(2)), BERTLV(0x9F42, bytes(2)),
            BERTLV(0x9F44, [2]), BERTLV(0x9F49, [0x9F, 0x37, 4]), BERTLV(0x9F4A, [0x82]), BERTLV(0x5F30, [2, 1]),
        ]
    ).encoded

    private static let certificate = BERTLV(
        0x70, children: [BERTLV(0x8F, [0x92]), BERTLV(0x90, bytes(176)), BERTLV(0x9F32, [3])]
    ).encoded

    private static let keys = BERTLV(
        0x70,
        children: [
            BERTLV(0x92, bytes(36)), BERTLV(0x9F46, bytes(144)), BERTLV(0x9F47, [3]), BERTLV(0x9F48, bytes(10)),
        ]
    ).encoded

    private static let answer = BERTLV(
        0x77,
        children: [
            BERTLV(0x9F27, [0x80]), BERTLV(0x9F36, [0, 1]), BERTLV(0x9F26, bytes(8)), BERTLV(0x9F10, bytes(7)),
        ]
    ).encoded

    private static let request: [UInt8] = [
        BERTLV(0x9F26, bytes(8)), BERTLV(0x9F27, [0x80]), BERTLV(0x9F10, bytes(7)), BERTLV(0x9F37, bytes(4)),
        BERTLV(0x9F36, [0, 1]), BERTLV(0x95, bytes(5)), BERTLV(0x9A, bytes(3)), BERTLV(0x9C, [0]),
        BERTLV(0x9F02, bytes(6)), BERTLV(0x5F2A, bytes(2)), BERTLV(0x82, bytes(2)), BERTLV(0x9F1A, bytes(2)),
        BERTLV(0x9F03, bytes(6)), BERTLV(0x9F33, bytes(3)), BERTLV(0x9F34, bytes(3)), BERTLV(0x9F35, [0x22]),
        BERTLV(0x9F1E, bytes(8)), BERTLV(0x84, bytes(7)), BERTLV(0x9F09, bytes(2)), BERTLV(0x9F41, bytes(4)),
    ].flatMap(\.encoded)
}
