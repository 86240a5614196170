internal import SmartCard

/// The card's part of a message to the host (ISO 8583 DE 55). Neither PAN nor track data are in it.
enum ICCData {
    /// In an authorisation request, in the order in which they are sent.
    static let request: [BERTag] = [
        EMVTag.applicationCryptogram, EMVTag.cryptogramInformation, EMVTag.issuerApplicationData,
        EMVTag.unpredictableNumber, EMVTag.transactionCounter, EMVTag.verificationResults, EMVTag.date,
        EMVTag.transactionType, EMVTag.amount, EMVTag.currency, EMVTag.interchangeProfile, EMVTag.terminalCountry,
        EMVTag.amountOther, EMVTag.capabilities, EMVTag.cvmResults, EMVTag.terminalType,
        EMVTag.interfaceDeviceSerial, EMVTag.dfName, EMVTag.terminalVersion, EMVTag.sequenceCounter,
        EMVTag.terminalAID, EMVTag.panSequenceNumber,
    ]

    /// In an advice or a reversal: also how the transaction ended.
    static let final: [BERTag] =
        request + [EMVTag.responseCode, EMVTag.statusInformation, EMVTag.issuerScriptResults]

    /// The data objects that there are.
    static func collect(_ tags: [BERTag], of transaction: borrowing Transaction) -> [BERTLV] {
        var objects: [BERTLV] = []
        for tag in tags {
            if let value = transaction.value(tag) { objects.append(BERTLV(tag, value)) }
        }
        return objects
    }
}
