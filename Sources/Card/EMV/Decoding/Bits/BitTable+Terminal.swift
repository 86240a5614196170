extension BitTable {
    /// Tag 95, and the action codes that are compared with it (EMV Book 3 annex C5).
    static let terminalVerificationResults = BitTable([
        [
            "offline data authentication not performed", "SDA failed", "ICC data missing",
            "card on the terminal's exception file", "DDA failed", "CDA failed", "SDA selected", "XDA selected",
        ],
        [
            "card and terminal have different application versions", "application expired",
            "application not yet effective", "service not allowed for the card product", "new card", nil,
            "biometric verification successful", "biometric template format not supported",
        ],
        [
            "cardholder verification not successful", "CVM not recognised", "PIN try limit exceeded",
            "PIN required, PIN pad absent or not working", "PIN required, PIN pad present, PIN not entered",
            "online PIN entered", "biometric required, capture device not working",
            "biometric required, subtype bypassed",
        ],
        [
            "floor limit exceeded", "lower consecutive offline limit exceeded",
            "upper consecutive offline limit exceeded", "selected at random to go online",
            "merchant forced the transaction online", "biometric try limit exceeded",
            "biometric type not supported", "XDA signature verification failed",
        ],
        [
            "default TDOL used", "issuer authentication failed", "script failed before the final GENERATE AC",
            "script failed after the final GENERATE AC", "relay resistance threshold exceeded (contactless)",
            "CA ECC key missing", "ECC key recovery failed", nil,
        ],
    ])

    /// Tag 9B (EMV Book 3 annex C6).
    static let transactionStatusInformation = BitTable([
        [
            "offline data authentication performed", "cardholder verification performed",
            "card risk management performed", "issuer authentication performed",
            "terminal risk management performed", "script processing performed", nil, nil,
        ],
        [nil, nil, nil, nil, nil, nil, nil, nil],
    ])

    private static let cardDataInput = [
        "manual key entry", "magnetic stripe", "chip with contacts", nil, nil, nil, nil, nil,
    ]
    private static let cardholderVerification = [
        "plaintext PIN verified by the card", "enciphered PIN verified online", "signature on paper",
        "enciphered PIN verified by the card", "no CVM required", "biometric verified online",
        "biometric verified by the card", "enciphered PIN verified by the card, ECC",
    ]
    private static let security = ["SDA", "DDA", "card capture", nil, "CDA", "XDA", nil, nil]

    /// Tag 9F33 (EMV Book 4 annex A2).
    static let terminalCapabilities = BitTable([cardDataInput, cardholderVerification, security])
    /// Tag DF8117 (Contactless Book C-2 annex A).
    static let cardDataInputCapability = BitTable([cardDataInput])
    /// Tags DF8118 and DF8119 (Contactless Book C-2 annex A).
    static let verificationCapability = BitTable([cardholderVerification])
    /// Tag DF811F (Contactless Book C-2 annex A).
    static let securityCapability = BitTable([security])

    /// Tag 9F40 (EMV Book 4 annex A3).
    static let additionalTerminalCapabilities = BitTable([
        ["cash", "goods", "services", "cashback", "inquiry", "transfer", "payment", "administrative"],
        ["cash deposit", nil, nil, nil, nil, nil, nil, nil],
        [
            "numeric keys", "alphabetic and special keys", "command keys", "function keys", nil, nil, nil, nil,
        ],
        [
            "prints for the attendant", "prints for the cardholder", "displays to the attendant",
            "displays to the cardholder", nil, nil, "code table 10", "code table 9",
        ],
        [
            "code table 8", "code table 7", "code table 6", "code table 5", "code table 4", "code table 3",
            "code table 2", "code table 1",
        ],
    ])

    /// Tag 9F1D as Mastercard lays it out (Contactless Book C-2 annex A).
    static let terminalRiskManagementData = BitTable([
        [
            "restart supported", "enciphered PIN verified online (contactless)", "signature (contactless)",
            "enciphered PIN verified by the card (contactless)", "no CVM required (contactless)",
            "CDCVM (contactless)", "plaintext PIN verified by the card (contactless)", "present and hold supported",
        ],
        [
            "CVM limit exceeded", "enciphered PIN verified online (contact)", "signature (contact)",
            "enciphered PIN verified by the card (contact)", "no CVM required (contact)", "CDCVM (contact)",
            "plaintext PIN verified by the card (contact)", nil,
        ],
        [
            "contactless magnetic stripe mode not supported", "contactless EMV mode not supported",
            "CDCVM without CDA supported", nil, nil, nil, nil, nil,
        ],
        ["CDCVM bypass requested", "exempt from strong customer authentication", nil, nil, nil, nil, nil, nil],
        [nil, nil, nil, nil, nil, nil, nil, nil],
        [nil, nil, nil, nil, nil, nil, nil, nil],
        [nil, nil, nil, nil, nil, nil, nil, nil],
        [nil, nil, nil, nil, nil, nil, nil, nil],
    ])
}
