/// Kernel 8 lays out some data elements otherwise than contact cards (EMV Contactless Book C-8 annex A). The bits are
/// those of one implementation; bits without a known meaning are reserved.
extension BitTable {
    /// Tag 95 with bit 80 of byte 5, the action codes 9F820B and 9F820C, the card TVR 9F8104, and the mask 9F821A.
    static let kernel8VerificationResults = BitTable([
        [
            "local authentication not performed", nil, nil, nil, nil, "local authentication failed", nil, nil,
        ],
        [
            "card and terminal have different application versions", "application expired",
            "application not yet effective", "service not allowed for the card product", nil, nil, nil, nil,
        ],
        ["cardholder verification not successful", nil, nil, nil, nil, "online CVM captured", nil, nil],
        ["floor limit exceeded", nil, nil, nil, nil, nil, nil, nil],
        [
            "kernel 8 processing and TVR format", "AIDs of reader and card differ", nil, nil,
            "relay resistance threshold exceeded", "relay resistance time limits exceeded",
            "relay resistance performed", "relay resistance not performed",
        ],
    ])

    /// Tag 82 of a kernel 8 application.
    static let kernel8InterchangeProfile = BitTable(
        byteCount: 2,
        [
            .bits(byte: 1, [nil, nil, nil, nil, nil, nil, nil, "local authentication supported"]),
            .bits(
                byte: 2,
                [nil, nil, nil, nil, "offline capable", nil, nil, "relay resistance protocol supported"]),
            .choice(
                byte: 2, mask: 0x06,
                [
                    0x00: "IAD-MAC not in the issuer application data", 0x02: "IAD-MAC at the kernel's default offset",
                    0x04: "IAD-MAC at the offset of the card (9F8107)",
                ]),
        ])

    private static let kernel8Methods = [
        nil, "online PIN", "signature", nil, "no CVM required", "CDCVM", nil, nil,
    ]
    private static let kernel8Security = [nil, nil, nil, "local authentication", nil, nil, nil, nil]
    private static let kernel8Input = [
        "manual key entry", "magnetic stripe", "chip with contacts", nil, nil, nil, nil, nil,
    ]

    /// Tag 9F33 as kernel 8 makes it.
    static let kernel8Capabilities = BitTable([kernel8Input, kernel8Methods, kernel8Security])
    /// Tags 9F8207 and 9F8208.
    static let kernel8VerificationCapability = BitTable([kernel8Methods])
    /// Tag 9F820A.
    static let kernel8SecurityCapability = BitTable([kernel8Security])

    /// Tag 9F8209.
    static let kernel8Configuration = BitTable([
        [
            nil, nil, "RSA certificates enabled", "relay resistance protocol supported",
            "failed local authentication reported in the TVR", nil, nil, nil,
        ],
        [nil, nil, nil, nil, nil, nil, nil, nil],
    ])

    private static let channelSuites: [UInt8: String] = [
        0x00: "P-256 with AES-128", 0x01: "P-521 with AES", 0x88: "SM2 with SM4", 0xFF: "none",
    ]

    /// Tag 9F2C.
    static let cardQualifier = BitTable(
        byteCount: 7,
        [.number(byte: 1, mask: 0xFF, "version")]
            + (2...4).map {
                .choice(byte: $0, mask: 0xFF, channelSuites.mapValues { "secure channel offered: " + $0 })
            } + [.bits(byte: 5, ["notices that the field was off", nil, nil, nil, nil, nil, nil, nil])])

    /// Tag 9F2B.
    static let kernelQualifier = BitTable(
        byteCount: 8,
        [
            .number(byte: 1, mask: 0xFF, "version"),
            .bits(byte: 2, ["local authentication enabled", nil, nil, nil, nil, nil, nil, nil]),
            .choice(byte: 3, mask: 0xFF, channelSuites.mapValues { "secure channel chosen: " + $0 }),
        ] + (4...6).map { .choice(byte: $0, mask: 0xFF, certificateSuites) })

    private static let certificateSuites: [UInt8: String] = [
        0x01: "certificates: RSA", 0x10: "certificates: P-256 with SHA-256", 0x11: "certificates: P-521 with SHA-512",
        0x12: "certificates: P-256 with SHA3-256", 0x13: "certificates: P-521 with SHA3-512",
        0x80: "certificates: SM2 with SM3", 0xFF: "certificates: none",
    ]

    /// Tag 9F8102.
    static let verificationDecision = BitTable(
        byteCount: 1,
        [
            .choice(
                byte: 1, mask: 0xFF,
                [
                    0x00: "no CVM", 0x01: "signature", 0x02: "online PIN", 0x03: "CDCVM: the device verified its owner",
                    0x0F: "not applicable", 0xFF: "failed",
                ])
        ])

    /// Tag 9F8210.
    static let outcomeParameterSet = BitTable(
        byteCount: 8,
        [
            .choice(
                byte: 1, mask: 0xFF,
                [
                    0x10: "approved", 0x20: "declined", 0x30: "online request", 0x40: "end application",
                    0x50: "select next", 0x60: "try another interface", 0x70: "try again",
                ]),
            .choice(
                byte: 2, mask: 0xFF,
                [0x00: "start A", 0x10: "start B", 0x20: "start C", 0x30: "start D", 0xF0: "no start"]),
            .choice(byte: 3, mask: 0xFF, [0xF0: "no online response data"]),
            .choice(
                byte: 4, mask: 0xFF,
                [
                    0x00: "no CVM", 0x10: "signature", 0x20: "online PIN", 0x30: "confirmation code verified",
                    0xF0: "CVM not applicable",
                ]),
            .bits(
                byte: 5,
                [
                    "message on the outcome", "message on the restart", "data record present",
                    "discretionary data present", "receipt", nil, nil, nil,
                ]),
            .choice(
                byte: 6, mask: 0xFF,
                [0x10: "interface: chip with contacts", 0x20: "interface: magnetic stripe", 0xF0: "no other interface"]
            ),
            .number(byte: 7, mask: 0xFF, "field off, in 100 ms (255: not)"),
            .number(byte: 8, mask: 0xFF, "time to remove the card, in 100 ms"),
        ])

    /// Tags 9F821B and 9F821C.
    static let dataStatus = BitTable(
        byteCount: 1, [.choice(byte: 1, mask: 0xFF, [0x00: "not completed", 0x80: "completed"])])
}
