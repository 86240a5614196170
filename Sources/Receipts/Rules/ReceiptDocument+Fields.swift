internal import Hardware

extension ReceiptDocument {
    /// Whether the field stands on the receipt, as ``ReceiptComposer`` prints it.
    func shows(_ field: ReceiptField) -> Bool {
        func says(_ text: String?) -> Bool { text?.contains { !$0.isWhitespace } ?? false }
        switch field {
        case .merchantName: return says(merchant.name)
        case .merchantAddress: return merchant.lines.contains { says($0) }
        case .merchantID: return says(merchant.merchantID)
        case .terminalID: return says(merchant.terminalID)
        case .businessNumber: return (merchant.lines + header + footer).contains { BusinessNumber.isCNPJ(in: $0) }
        case .dateTime: return says(date)
        case .transactionType: return true
        case .amount: return says(amount) && says(currency)
        case .approvedAmount: return says(approvedAmount) && !approvedAmount.contains { ("1"..."9").contains($0) }
        case .items: return !items.isEmpty || !totals.isEmpty
        case .transactionRecord: return ReceiptRules.wants(.transactionRecord, on: self)
        case .cardBrand: return brand != nil
        case .cardNumber: return says(card?.lastFour)
        case .entryMode: return card != nil
        // Without a choice it is the default account, and so it is called.
        case .accountType: return card != nil
        case .chosenAccount: return card?.accountType != nil
        case .applicationID: return says(card?.aid)
        case .applicationName: return says(card?.applicationName)
        case .authorizationCode: return says(card?.authorizationCode)
        case .hostReference: return says(card?.hostReference)
        case .applicationCryptogram: return says(card?.applicationCryptogram)
        case .terminalVerificationResults: return says(card?.terminalVerificationResults)
        case .issuerApplicationData: return says(card?.issuerApplicationData)
        case .pinStatement: return card?.cardholderVerification.isByPIN == true
        case .signatureLine: return asksForSignature && copy == .merchant
        case .fullCardNumber:
            return texts.contains { ReceiptText.concealed($0) != ReceiptText.printable($0) }
                || (card?.lastFour?.count ?? 0) > 4
        case .expirationDate: return texts.contains { ExpirationDate.isNamed(in: $0) }
        }
    }

    /// What people and stores wrote.
    private var texts: [String] {
        let own = [merchant.name, store, orderNumber, reason, card?.applicationName, card?.hostReference]
        let sold = items.flatMap { item in [item.title] + item.attributes.flatMap { [$0.name, $0.value] } }
        return merchant.lines + header + footer + own.compactMap(\.self) + sold + totals.compactMap(\.detail)
    }
}
