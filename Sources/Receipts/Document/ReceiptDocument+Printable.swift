internal import Hardware

extension ReceiptDocument {
    /// The same with every text fit for paper: without control characters, and of a card's number at most the last four
    /// digits wherever it stands.
    var printable: ReceiptDocument {
        var document = self
        document.merchant.name = ReceiptText.concealed(merchant.name)
        document.merchant.lines = merchant.lines.map(ReceiptText.concealed)
        document.merchant.merchantID = ReceiptText.printable(merchant.merchantID)
        document.merchant.terminalID = ReceiptText.printable(merchant.terminalID)
        document.header = header.map(ReceiptText.concealed)
        document.footer = footer.map(ReceiptText.concealed)
        document.payment = ReceiptText.printable(payment)
        document.store = store.map(ReceiptText.concealed)
        document.orderNumber = orderNumber.map(ReceiptText.concealed)
        document.date = ReceiptText.printable(date)
        document.zone = zone.map(ReceiptText.printable)
        document.currency = ReceiptText.printable(currency)
        document.items = items.map { item in
            ReceiptItem(
                title: ReceiptText.concealed(item.title), quantity: ReceiptText.concealed(item.quantity),
                amount: ReceiptText.printable(item.amount),
                attributes: item.attributes.map {
                    ReceiptItem.Attribute(
                        name: ReceiptText.concealed($0.name), value: ReceiptText.concealed($0.value))
                })
        }
        document.totals = totals.map {
            ReceiptTotal(
                $0.kind, detail: $0.detail.map(ReceiptText.concealed), amount: ReceiptText.printable($0.amount))
        }
        document.amount = ReceiptText.printable(amount)
        document.approvedAmount = ReceiptText.printable(approvedAmount)
        document.reason = reason.map(ReceiptText.concealed)
        document.code = code.map(ReceiptText.concealed)
        document.card?.lastFour = card?.lastFour.map { String(ReceiptText.printable($0).suffix(4)) }
        document.card?.applicationName = card?.applicationName.map(ReceiptText.concealed)
        document.card?.offlineDataAuthenticationReason = card?.offlineDataAuthenticationReason
            .map(ReceiptText.concealed)
        document.card?.authorizationCode = card?.authorizationCode.map(ReceiptText.concealed)
        document.card?.authorizationResponseCode = card?.authorizationResponseCode.map(ReceiptText.concealed)
        document.card?.hostReference = card?.hostReference.map(ReceiptText.concealed)
        document.card?.cryptogramType = card?.cryptogramType.map(ReceiptText.printable)
        document.card?.aid = card?.aid.map(ReceiptText.printable)
        document.card?.applicationCryptogram = card?.applicationCryptogram.map(ReceiptText.printable)
        document.card?.issuerApplicationData = card?.issuerApplicationData.map(ReceiptText.printable)
        document.card?.terminalVerificationResults = card?.terminalVerificationResults.map(ReceiptText.printable)
        document.card?.transactionStatusInformation = card?.transactionStatusInformation.map(ReceiptText.printable)
        return document
    }
}
