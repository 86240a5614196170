import SmartCard

/// Processing restrictions: version, usage control, and dates of the application (EMV Book 3 §10.4).
struct ProcessingRestrictions {
    /// Tag 9F08; nil if the card has none.
    var cardVersion: UInt16?
    /// Tag 9F09: the supported versions.
    var terminalVersions: [UInt16]
    /// Tag 9F07; nil when the card has none.
    var usageControl: ApplicationUsageControl?
    /// Tag 5F28; nil when the card has none.
    var issuerCountry: UInt16?
    /// Tag 9F1A
    var terminalCountry: UInt16
    var isATM: Bool
    var kind: TransactionRequest.Kind
    var hasCashback: Bool
    var transactionDate: EMVDate
    /// Tag 5F25; nil when the card has none.
    var effectiveDate: EMVDate?
    /// Tag 5F24
    var expirationDate: EMVDate

    /// The TVR bits of byte 2.
    func evaluate() -> TerminalVerificationResults {
        var results: TerminalVerificationResults = []
        if let cardVersion, !terminalVersions.contains(cardVersion) { results.insert(.versionsDiffer) }
        if !isServiceAllowed { results.insert(.serviceNotAllowed) }
        if let effectiveDate, effectiveDate > transactionDate { results.insert(.applicationNotYetEffective) }
        if expirationDate < transactionDate { results.insert(.expiredApplication) }
        return results
    }

    private var isServiceAllowed: Bool {
        guard let usageControl else { return true }
        guard usageControl.contains(isATM ? .atms : .terminalsOtherThanATMs) else { return false }
        guard let issuerCountry else { return true }
        let isDomestic = issuerCountry == terminalCountry
        let cash: ApplicationUsageControl = isDomestic ? .domesticCash : .internationalCash
        let purchase: ApplicationUsageControl =
            isDomestic ? [.domesticGoods, .domesticServices] : [.internationalGoods, .internationalServices]
        let cashback: ApplicationUsageControl = isDomestic ? .domesticCashback : .internationalCashback
        switch kind {
        case .cash: guard usageControl.contains(cash) else { return false }
        case .goodsOrServices, .cashback: guard !usageControl.isDisjoint(with: purchase) else { return false }
        case .refund: break
        }
        return !hasCashback || usageControl.contains(cashback)
    }
}

extension ProcessingRestrictions {
    /// Takes the values from a transaction.
    ///
    /// - Throws: a data error when a date is not valid.
    init(_ transaction: Transaction) throws(KernelStop) {
        func date(_ tag: BERTag, _ bytes: [UInt8]?) throws(KernelStop) -> EMVDate? {
            guard let bytes else { return nil }
            guard let date = EMVDate(bytes: bytes) else { throw .failed(.data(.wrongFormat(tag))) }
            return date
        }
        let expiration = try date(EMVTag.expirationDate, transaction.data[EMVTag.expirationDate])
        guard let expiration else { throw .failed(.data(.missing(EMVTag.expirationDate))) }
        let terminal = transaction.terminal
        let request = transaction.request
        self.init(
            cardVersion: transaction.data[EMVTag.cardVersion].map { $0.reduce(0) { $0 << 8 | UInt16($1) } },
            terminalVersions: transaction.terminalApplication?.versions ?? [],
            usageControl: transaction.data[EMVTag.usageControl].flatMap { ApplicationUsageControl(bytes: $0) },
            issuerCountry: transaction.data[EMVTag.issuerCountry].flatMap(BinaryCodedDecimal.decode)
                .map { UInt16(truncatingIfNeeded: $0) },
            terminalCountry: terminal.country,
            isATM: terminal.type.isUnattendedAtFinancialInstitution && terminal.additionalCapabilities.contains(.cash),
            kind: request.kind, hasCashback: request.hasCashback, transactionDate: EMVDate(request.date),
            effectiveDate: try date(EMVTag.effectiveDate, transaction.data[EMVTag.effectiveDate]),
            expirationDate: expiration)
    }

    static func perform(_ transaction: Transaction) throws(KernelStop) {
        transaction.verificationResults.formUnion(try ProcessingRestrictions(transaction).evaluate())
        // If the terminal supports several versions, send the card its own.
        if let card = transaction.data[EMVTag.cardVersion],
            transaction.terminalApplication?.versions.contains(where: { [UInt8($0 >> 8), UInt8($0 & 0xFF)] == card })
                == true
        {
            transaction.data.set(EMVTag.terminalVersion, card)
        }
    }
}
