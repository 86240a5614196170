extension TerminalApplication {
    /// Applications of the major payment systems, with typical versions and terminal action codes for attended
    /// terminals. They are examples: use the values of your acquirer. Every floor limit is zero, and every denial code
    /// declines a card on the terminal's exception file (TVR byte 1 bit 5).
    public static let standard: [TerminalApplication] = [
        visa([0x10, 0x10]),  // credit and debit
        visa([0x20, 0x10]),  // Electron
        visa([0x20, 0x20]),  // V PAY
        visa([0x30, 0x10]),  // Interlink
        mastercard([0x10, 0x10]),  // credit and debit
        mastercard([0x30, 0x60]),  // Maestro
        mastercard([0x22, 0x03]),  // US Maestro
        application(
            .americanExpress, [0x01], [0x0001], ActionCodes(0x10_0000_0000, 0xDE_00FC_9800, 0xDC_50FC_9800)),
        application(.jcb, [0x10, 0x10], [0x0200], ActionCodes(0x10_1000_0000, 0xFC_60AC_F800, 0xFC_6024_A800)),
        discover([0x30, 0x10]),  // D-PAS
        discover([0x40, 0x10]),  // US common debit
        unionPay([0x01, 0x01, 0x01]),  // debit
        unionPay([0x01, 0x01, 0x02]),  // credit
        unionPay([0x01, 0x01, 0x03]),  // quasi credit
        unionPay([0x01, 0x01, 0x08]),  // US debit
        application(.interac, [0x10, 0x10], [0x0001], ActionCodes(0x15_0000_0000, 0x05_FFFF_FFFF, 0x05_FFFF_FFFF)),
        eftpos([0x10]),  // savings
        eftpos([0x20]),  // cheque and credit
        application(
            .usCommonDebit, [0x08, 0x40], [0x0096], ActionCodes(0x10_1000_0000, 0xDC_4004_F800, 0xDC_4000_A800)),
    ].compactMap(\.self)

    private static func visa(_ extension: [UInt8]) -> TerminalApplication? {
        application(
            .visa, `extension`, [0x0096, 0x008C], ActionCodes(0x10_1000_0000, 0xDC_4004_F800, 0xDC_4000_A800))
    }

    private static func mastercard(_ extension: [UInt8]) -> TerminalApplication? {
        application(.mastercard, `extension`, [0x0002], ActionCodes(0x10_0000_0000, 0xFE_50BC_F800, 0xFE_50BC_2000))
    }

    private static func discover(_ extension: [UInt8]) -> TerminalApplication? {
        application(.discover, `extension`, [0x0001], ActionCodes(0x10_1000_0000, 0xFC_E09C_F800, 0xDC_0000_2000))
    }

    private static func unionPay(_ extension: [UInt8]) -> TerminalApplication? {
        application(.unionPay, `extension`, [0x0020], ActionCodes(0x10_1000_0000, 0xD8_4004_F800, 0xD8_4000_A800))
    }

    private static func eftpos(_ extension: [UInt8]) -> TerminalApplication? {
        application(
            .eftposAustralia, `extension`, [0x0001], ActionCodes(0x10_1000_0000, 0xFC_50BC_F800, 0xFC_50BC_2000))
    }

    private static func application(
        _ brand: CardBrand, _ extension: [UInt8], _ versions: [UInt16], _ actionCodes: ActionCodes
    ) -> TerminalApplication? {
        guard let rid = brand.rids.first else { return nil }
        return try? TerminalApplication(aid: rid + `extension`, versions: versions, actionCodes: actionCodes)
    }
}
