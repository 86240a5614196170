extension BitTable {
    /// Tag 82 (EMV Book 3 annex C1, Contactless Book C-2 annex A).
    static let applicationInterchangeProfile = BitTable([
        [
            "XDA supported", "SDA supported", "DDA supported", "cardholder verification supported",
            "terminal risk management to be performed", "issuer authentication by EXTERNAL AUTHENTICATE supported",
            "on-device cardholder verification supported", "CDA supported",
        ],
        [
            "contactless EMV mode supported", "mobile phone", "contactless transaction", nil, nil, nil, nil,
            "relay resistance protocol supported",
        ],
    ])

    /// Tag 9F07 (EMV Book 3 annex C2).
    static let applicationUsageControl = BitTable([
        [
            "valid for domestic cash", "valid for international cash", "valid for domestic goods",
            "valid for international goods", "valid for domestic services", "valid for international services",
            "valid at ATMs", "valid at terminals other than ATMs",
        ],
        ["domestic cashback allowed", "international cashback allowed", nil, nil, nil, nil, nil, nil],
    ])

    /// Tag 9F27 (EMV Book 3 §6.5.5).
    static let cryptogramInformation = BitTable(
        byteCount: 1,
        [
            .choice(
                byte: 1, mask: 0xC0,
                [
                    0x00: "AAC: the card declines", 0x40: "TC: the card approves",
                    0x80: "ARQC: the card asks for its issuer",
                ]),
            .bits(
                byte: 1,
                [
                    nil, nil, "payment system's bit 6", "payment system's bit 5", "advice required", nil, nil, nil,
                ]),
            .choice(
                byte: 1, mask: 0x07,
                [
                    0: "no reason given", 1: "service not allowed", 2: "PIN try limit exceeded",
                    3: "issuer authentication failed",
                ]),
        ])

    /// Tag 87 (EMV Book 1 §12.2.3).
    static let priorityIndicator = BitTable(
        byteCount: 1,
        [
            .bits(byte: 1, ["cardholder must confirm the application"]),
            .number(byte: 1, mask: 0x0F, "priority, 1 first, 0 none"),
        ])

    /// The response code of an ARPC by method 1 in tag 91 of M/Chip cards: two binary bytes.
    static let mChipResponseCode = BitTable(
        byteCount: 2,
        [
            .number(byte: 1, mask: 0x0F, "new PIN try counter"),
            .bits(
                byte: 2,
                [
                    nil, nil, nil, "issuer approves the online transaction", "update the PIN try counter",
                    "go online on the next transaction",
                ]),
            .choice(byte: 2, mask: 0x03, counterUpdates),
        ])

    private static let counterUpdates: [UInt8: String] = [
        0: "leave the offline counters", 1: "set the offline counters to their upper limits",
        2: "reset the offline counters to zero", 3: "add this transaction to the offline counters",
    ]

    /// The card status update in tag 91 (EMV Book 3 annex C10).
    static let cardStatusUpdate = BitTable(
        byteCount: 4,
        [
            .bits(byte: 1, ["proprietary authentication data included"]),
            .number(byte: 1, mask: 0x0F, "new PIN try counter"),
            .bits(
                byte: 2,
                [
                    "issuer approves the online transaction", "block the card", "block the application",
                    "update the PIN try counter", "go online on the next transaction",
                    "made by a proxy for the issuer",
                ]),
            .choice(byte: 2, mask: 0x03, counterUpdates),
            .number(byte: 4, mask: 0xFF, "issuer's discretion"),
        ])
}
