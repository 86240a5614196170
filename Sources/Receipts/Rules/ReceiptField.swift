/// Something that a rule can want on a receipt, or off it.
public enum ReceiptField: String, Hashable, Sendable, Codable, CaseIterable {
    case merchantName, merchantAddress, merchantID, terminalID
    /// The merchant's number at the tax office: in Brazil the CNPJ.
    case businessNumber
    case dateTime, transactionType, amount
    /// Zero, on what was not approved.
    case approvedAmount
    /// What an order's amount is made of.
    case items
    /// The words that name a receipt of Interac in both languages of Canada.
    case transactionRecord
    case cardBrand, cardNumber, entryMode, accountType
    /// An account that the cardholder chose, rather than the default one.
    case chosenAccount
    case applicationID, applicationName
    case authorizationCode, hostReference
    case applicationCryptogram, terminalVerificationResults, issuerApplicationData
    /// That the cardholder was verified by a PIN.
    case pinStatement
    case signatureLine
    /// More than four digits of the card's number.
    case fullCardNumber
    case expirationDate
}
