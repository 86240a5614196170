extension BitTable {
    private static func cryptogramsReturned(byte: Int, first: String) -> [Field] {
        [
            .choice(
                byte: byte, mask: 0xC0,
                [
                    0x00: "second GENERATE AC returned AAC", 0x40: "second GENERATE AC returned TC",
                    0x80: "second GENERATE AC not requested",
                ]),
            .choice(
                byte: byte, mask: 0x30,
                [0x00: "\(first) returned AAC", 0x10: "\(first) returned TC", 0x20: "\(first) returned ARQC"]),
        ]
    }

    private static func visaLastTransactions(byte: Int) -> [Field] {
        [
            .bits(
                byte: byte,
                [
                    "last online transaction not completed", "PIN try limit exceeded",
                    "velocity checking counters exceeded", "new card",
                    "issuer authentication failed on the last online transaction",
                    "issuer authentication not performed after online authorisation",
                    "application blocked by the card: PIN try limit exceeded",
                    "SDA failed on the last transaction",
                ]),
            .number(byte: byte + 1, mask: 0xF0, "issuer script commands processed"),
            .bits(
                byte: byte + 1,
                [
                    nil, nil, nil, nil, "issuer script failed", "DDA failed on the last transaction",
                    "DDA performed", "PIN verification not received by a card that expects it",
                ]),
        ]
    }

    /// Three bytes, behind their length 03: Visa's formats 0, 1 and 3, UnionPay's (PBOC) are the same.
    static let visaVerificationResults = BitTable(
        byteCount: 3,
        cryptogramsReturned(byte: 1, first: "first GENERATE AC or GPO") + [
            .bits(
                byte: 1,
                [
                    nil, nil, nil, nil, "issuer authentication performed and failed", "offline PIN verified",
                    "offline PIN verification failed", "unable to go online",
                ])
        ] + visaLastTransactions(byte: 2))

    /// Five bytes: Visa's formats 2 and 4, of mobile devices.
    static let visaDeviceVerificationResults = BitTable(
        byteCount: 5,
        [
            .choice(
                byte: 1, mask: 0xF0,
                [
                    0x00: "not verified on the device", 0x10: "verified by the payment application",
                    0x20: "verified by MG", 0x30: "verified by an application in the secure element",
                    0x40: "verified by an application in the trusted environment",
                    0x50: "verified by the mobile application", 0x60: "verified by the terminal",
                    0x70: "verified in the cloud", 0x80: "verified by the operating system",
                ]),
            .choice(
                byte: 1, mask: 0x0F,
                [
                    0x0: "no consumer device CVM", 0x1: "passcode", 0x2: "finger", 0x3: "pattern", 0x4: "face",
                    0x5: "iris", 0x6: "voice", 0x7: "palm", 0xD: "signature", 0xE: "online PIN",
                ]),
        ] + cryptogramsReturned(byte: 2, first: "first GENERATE AC or GPO") + [
            .bits(
                byte: 2,
                [
                    nil, nil, nil, nil, "issuer authentication performed and failed",
                    "consumer device CVM performed", nil, "unable to go online",
                ])
        ] + visaLastTransactions(byte: 3) + [
            .bits(
                byte: 5,
                [
                    "device not in debug mode", "device not rooted", "application not hooked",
                    "application's integrity intact", "device has data connectivity", "device genuine",
                    "consumer device CVM successful", "secure messaging uses EMV session keys",
                ])
        ])

    /// Six bytes: M/Chip 4 and M/Chip Advance.
    static let mChipVerificationResults = BitTable(
        byteCount: 6,
        cryptogramsReturned(byte: 1, first: "first GENERATE AC") + [
            .bits(
                byte: 1,
                [
                    nil, nil, nil, nil, "date check failed", "offline PIN verification performed",
                    "offline PIN was enciphered", "offline PIN verification successful",
                ]),
            .bits(
                byte: 2,
                [
                    "DDA returned", "CDA returned in the first GENERATE AC", "CDA returned in the second GENERATE AC",
                    "issuer authentication performed", "CIAC default skipped on CAT 3",
                    "offline PIN change successful", "issuer discretionary bit 2", "issuer discretionary bit 1",
                ]),
            .number(byte: 3, mask: 0xF0, "script counter"),
            .number(byte: 3, mask: 0x0F, "PIN try counter"),
            .bits(
                byte: 4,
                [
                    "last online transaction not completed", "unable to go online",
                    "offline PIN verification not performed", "offline PIN verification failed",
                    "PIN try limit exceeded", "international transaction", "domestic transaction",
                    "terminal wrongly considers the offline PIN right",
                ]),
            .bits(
                byte: 5,
                [
                    "lower consecutive offline limit exceeded (counter 1)",
                    "upper consecutive offline limit exceeded (counter 1)",
                    "lower cumulative offline limit exceeded (accumulator 1)",
                    "upper cumulative offline limit exceeded (accumulator 1)", "go online on next transaction was set",
                    "issuer authentication failed", "script received", "script failed",
                ]),
            .bits(
                byte: 6,
                [
                    "lower consecutive limit exceeded (counter 2)", "upper consecutive limit exceeded (counter 2)",
                    "lower cumulative limit exceeded (accumulator 2)",
                    "upper cumulative limit exceeded (accumulator 2)", "maximum transaction amount exceeded",
                    "number of days offline exceeded", "match found in the additional check table",
                    "no match found in the additional check table",
                ]),
        ])

    /// Five bytes: applications after the common core definitions (EMV Book 3 annex C9.3).
    static let commonCoreVerificationResults = BitTable(
        byteCount: 5,
        cryptogramsReturned(byte: 1, first: "first GENERATE AC") + [
            .bits(
                byte: 1,
                [
                    nil, nil, nil, nil, "CDA performed", "DDA performed", "issuer authentication not performed",
                    "issuer authentication failed",
                ]),
            .number(byte: 2, mask: 0xF0, "PIN try counter"),
            .bits(
                byte: 2,
                [
                    nil, nil, nil, nil, "offline PIN verification performed", "offline PIN verification failed",
                    "PIN try limit exceeded", "last online transaction not completed",
                ]),
            .bits(
                byte: 3,
                [
                    "lower offline transaction count limit exceeded", "upper offline transaction count limit exceeded",
                    "lower cumulative offline amount limit exceeded",
                    "upper cumulative offline amount limit exceeded", "issuer discretionary bit 1",
                    "issuer discretionary bit 2", "issuer discretionary bit 3", "issuer discretionary bit 4",
                ]),
            .number(byte: 4, mask: 0xF0, "issuer script commands with secure messaging processed"),
            .bits(
                byte: 4,
                [
                    nil, nil, nil, nil, "issuer script failed",
                    "offline data authentication failed on the previous transaction",
                    "go online on next transaction was set", "unable to go online",
                ]),
        ])
}
