extension BitTable {
    /// Tag 9F66 of four bytes (Contactless Books A §5.7, C-3, C-6, C-7).
    static let terminalTransactionQualifiers = BitTable([
        [
            "magnetic stripe mode supported", nil, "EMV mode supported", "EMV contact chip supported",
            "offline-only reader", "online PIN supported", "signature supported",
            "offline data authentication for online authorisations supported",
        ],
        [
            "online cryptogram required", "CVM required", "offline PIN supported (contact chip)", nil, nil, nil, nil,
            nil,
        ],
        [
            "issuer update processing supported", "consumer device CVM supported", nil, nil,
            "consumer device CVM required", nil, nil, nil,
        ],
        ["fDDA version 1.0 supported", nil, nil, nil, nil, nil, nil, nil],
    ])

    /// Tag 9F6C (Contactless Books C-3 and C-7).
    static let cardTransactionQualifiers = BitTable([
        [
            "online PIN required", "signature required", "go online if offline data authentication fails",
            "switch interface if offline data authentication fails", "go online if the application is expired",
            "switch interface for cash", "switch interface for cashback", "not valid for contactless ATMs",
        ],
        [
            "consumer device CVM performed", "issuer update processing at the point of sale supported", nil, nil, nil,
            nil, nil, nil,
        ],
    ])

    /// Tag 9F6E of Visa (Contactless Book C-3 annex A).
    static let formFactorIndicator = BitTable(
        byteCount: 4,
        [
            .number(byte: 1, mask: 0xE0, "version"),
            .choice(
                byte: 1, mask: 0x1F,
                [
                    0: "card", 1: "mini card", 2: "form factor other than a card", 3: "consumer's mobile phone",
                    4: "device worn on the wrist",
                ]),
            .bits(
                byte: 2,
                [
                    "passcode capable", "signature panel", "hologram", "CVV2", "two-way messaging",
                    "cloud based payment credentials", "biometric verification capable", nil,
                ]),
            .choice(byte: 4, mask: 0x0F, [0: "contactless by ISO/IEC 14443", 1: "not used in contactless payments"]),
        ])

    /// Tag 9F6E of American Express (Contactless Book C-4 §4.3.4).
    static let enhancedReaderCapabilities = BitTable(
        byteCount: 4,
        [
            .bits(
                byte: 1,
                [
                    "contact mode supported", "contactless magnetic stripe mode supported",
                    "contactless EMV full online mode supported", "contactless EMV partial online mode supported",
                    "contactless mobile supported", "try another interface after a decline", nil, nil,
                ]),
            .bits(
                byte: 2,
                [
                    "mobile CVM supported", "online PIN supported", "signature supported",
                    "plaintext offline PIN supported", nil, nil, nil, nil,
                ]),
            .bits(byte: 3, ["reader is offline only", "CVM required", nil, nil, nil, nil, nil, nil]),
            .bits(
                byte: 4,
                [
                    "terminal exempt from no CVM checks", "delayed authorisation terminal", "transit terminal", nil,
                    nil, nil, nil, nil,
                ]),
            .choice(
                byte: 4, mask: 0x07,
                [
                    0: "kernel version not specified", 1: "kernel version 2.2, 2.3", 2: "kernel version 2.4...2.6",
                    3: "kernel version 2.7",
                ]),
        ])

    /// Tag DF811B (Contactless Book C-2 annex A).
    static let kernelConfiguration = BitTable([
        [
            "magnetic stripe mode contactless not supported", "EMV mode contactless not supported",
            "on-device cardholder verification supported", "relay resistance protocol supported",
            "reserved for the payment system", "read all records even when no CDA", nil, nil,
        ]
    ])
}
