extension IssuerApplicationData {
    /// What the card verification results say of the scripts of earlier transactions; nil when they say nothing.
    /// See ``CardVerificationResults/encoded(_:)`` for where it stands in each layout.
    var scriptReport: IssuerLedgerEntry.ScriptReport? {
        let (counts, failed): (UInt8?, Bool) =
            switch version {
            case .cvn10, .cvn18: (byte(3), (byte(3) ?? 0) & 0x08 != 0)
            case .mChip, .mChipCommonSessionKey, .mChipEMV2000: (byte(2), (byte(4) ?? 0) & 0x01 != 0)
            case .aes: (byte(3), (byte(3) ?? 0) & 0x08 != 0)
            }
        guard let counts, counts >> 4 > 0 || failed else { return nil }
        return IssuerLedgerEntry.ScriptReport(commands: Int(counts >> 4), hasFailed: failed)
    }

    private func byte(_ index: Int) -> UInt8? {
        cardVerificationResults.indices.contains(index) ? cardVerificationResults[index] : nil
    }
}
